//! Cycles in a graph of elements that read one another.

use std::collections::{HashMap, VecDeque};

/// A cycle, if there is one, as short as can be through its first node. For each node, `reads` lists where its edges
/// lead, each with a label (the number of the read); the cycle is a list of nodes, each with the label of the edge that
/// leads on, the last one's to the first.
///
/// ```
/// use affine::graph::cycle;
/// let reads = [vec![(7, 1)], vec![(8, 2)], vec![(9, 1)]];
/// assert_eq!(cycle(&reads), Some(vec![(1, 8), (2, 9)]));
/// assert_eq!(cycle(&reads[..1].iter().cloned().chain([vec![]]).collect::<Vec<_>>()), None);
/// ```
pub fn cycle(reads: &[Vec<(usize, usize)>]) -> Option<Vec<(usize, usize)>> {
    let direct = (0..reads.len()).find(|at| reads[*at].iter().any(|(_, to)| to == at));
    let start = direct.or_else(|| on_a_cycle(reads))?;
    shortest_way_around(reads, start)
}

/// Some node on a cycle, by depth-first search with an explicit stack.
fn on_a_cycle(reads: &[Vec<(usize, usize)>]) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; reads.len()];
    for root in 0..reads.len() {
        if states[root] != State::New {
            continue;
        }
        let mut stack = vec![(root, 0)];
        states[root] = State::Open;
        while let Some((node, next)) = stack.last_mut() {
            match reads[*node].get(*next) {
                None => {
                    states[*node] = State::Done;
                    stack.pop();
                }
                Some((_, to)) => {
                    *next += 1;
                    match states[*to] {
                        State::Open => return Some(*to),
                        State::New => {
                            states[*to] = State::Open;
                            stack.push((*to, 0));
                        }
                        State::Done => {}
                    }
                }
            }
        }
    }
    None
}

/// The nodes of a shortest cycle through `start`, each with the read that leads on.
fn shortest_way_around(reads: &[Vec<(usize, usize)>], start: usize) -> Option<Vec<(usize, usize)>> {
    let mut reached_by: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for (read, to) in &reads[node] {
            if reached_by.contains_key(to) {
                continue;
            }
            reached_by.insert(*to, (node, *read));
            queue.push_back(*to);
        }
        if reached_by.contains_key(&start) {
            break;
        }
    }
    let mut chain = vec![*reached_by.get(&start)?];
    while let Some((node, _)) = chain.last().filter(|(node, _)| *node != start) {
        chain.push(*reached_by.get(node)?);
    }
    chain.reverse();
    Some(chain)
}
