/* Unpacking: deflated data (RFC 1951) and .gz files around it (RFC 1952). */
enum { RV_UNPACKED, RV_DAMAGED, RV_CUT_OFF, RV_NO_ROOM };

typedef struct {
  const unsigned char *in;
  size_t length, at;
  uint64_t bits; /* taken from the input and not used yet, lowest first */
  int count;     /* how many those are */
  unsigned char *out;
  size_t size, room, most; /* the most bytes that are wanted */
  int state;
} rv_unpacking;

/* A code as a table: for as many bits as the longest code has, the symbol they begin with and its length. */
#define RV_CODE_BITS 15
typedef struct {
  int longest;
  uint16_t entry[1 << RV_CODE_BITS]; /* symbol * 16 + length; 0 where no code begins so */
} rv_code;

static bool rv_end_with(rv_unpacking *u, int state) {
  u->state = state;
  return false;
}

/* Loads at least this many bits, if the input has them. */
static bool rv_have(rv_unpacking *u, int count) {
  while (u->count < count && u->at < u->length) {
    u->bits |= (uint64_t)u->in[u->at++] << u->count;
    u->count += 8;
  }
  return u->count >= count;
}

static bool rv_get_bits(rv_unpacking *u, int count, unsigned *value) {
  if (!rv_have(u, count)) return rv_end_with(u, RV_CUT_OFF);
  *value = (unsigned)(u->bits & ((1u << count) - 1));
  u->bits >>= count;
  u->count -= count;
  return true;
}

static bool rv_get_symbol(rv_unpacking *u, const rv_code *code, unsigned *symbol) {
  rv_have(u, code->longest);
  /* After the end of the input come zeros; a code that reaches into them is cut off. */
  unsigned entry = code->entry[u->bits & ((1u << code->longest) - 1)];
  int length = (int)(entry & 15);
  if (length == 0 || length > u->count) return rv_end_with(u, length == 0 && u->count >= code->longest ? RV_DAMAGED : RV_CUT_OFF);
  u->bits >>= length;
  u->count -= length;
  *symbol = entry >> 4;
  return true;
}

/* The code in which symbols have these lengths, shorter ones first, equally long ones in order. */
static bool rv_make_code(rv_unpacking *u, rv_code *code, const unsigned char *lengths, int symbols) {
  int used[16] = {0}, many = 0;
  code->longest = 1;
  for (int i = 0; i < symbols; i++) {
    if (lengths[i] == 0) continue;
    used[lengths[i]]++;
    many++;
    if (lengths[i] > code->longest) code->longest = lengths[i];
  }
  unsigned next[17] = {0};
  for (int length = 1; length < 16; length++) {
    next[length + 1] = (next[length] + (unsigned)used[length]) << 1;
    if (next[length] + (unsigned)used[length] > 1u << length) return rv_end_with(u, RV_DAMAGED);
  }
  /* Only a code of a single symbol may be incomplete. */
  if (many > 1 && next[code->longest] + (unsigned)used[code->longest] != 1u << code->longest) return rv_end_with(u, RV_DAMAGED);
  memset(code->entry, 0, sizeof(uint16_t) << code->longest);
  for (int i = 0; i < symbols; i++) {
    int length = lengths[i];
    if (length == 0) continue;
    unsigned bits = next[length]++, mirrored = 0;
    for (int k = 0; k < length; k++) mirrored |= (bits >> k & 1) << (length - 1 - k);
    for (unsigned at = mirrored; at < 1u << code->longest; at += 1u << length) code->entry[at] = (uint16_t)(i << 4 | length);
  }
  return true;
}

/* Makes room for more bytes; false if no more are wanted, or there is no memory. */
static bool rv_room(rv_unpacking *u, size_t count) {
  if (u->most - u->size < count) return rv_end_with(u, RV_UNPACKED);
  if (u->size + count <= u->room) return true;
  size_t room = u->room * 2 + count + 4096;
  unsigned char *out = realloc(u->out, room);
  if (!out) return rv_end_with(u, RV_NO_ROOM);
  u->out = out;
  u->room = room;
  return true;
}

static bool rv_plain_block(rv_unpacking *u) {
  unsigned length, check;
  u->bits >>= u->count & 7;
  u->count &= ~7;
  if (!rv_get_bits(u, 16, &length) || !rv_get_bits(u, 16, &check)) return false;
  if (length != (check ^ 0xffff)) return rv_end_with(u, RV_DAMAGED);
  for (unsigned byte; length > 0; length--) {
    if (!rv_get_bits(u, 8, &byte) || !rv_room(u, 1)) return false;
    u->out[u->size++] = (unsigned char)byte;
  }
  return true;
}

/* Copies bytes that were written before. */
static bool rv_repeat(rv_unpacking *u, size_t length, size_t distance) {
  if (distance > u->size) return rv_end_with(u, RV_DAMAGED);
  size_t wanted = u->most - u->size < length ? u->most - u->size : length;
  if (!rv_room(u, wanted)) return false;
  for (; wanted > 0; wanted--, length--, u->size++) u->out[u->size] = u->out[u->size - distance];
  return length == 0 || rv_end_with(u, RV_UNPACKED);
}

static bool rv_coded_block(rv_unpacking *u, const rv_code *literals, const rv_code *distances) {
  static const uint16_t lengths[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  for (unsigned symbol, more, far;;) {
    if (!rv_get_symbol(u, literals, &symbol)) return false;
    if (symbol == 256) return true;
    if (symbol < 256) {
      if (!rv_room(u, 1)) return false;
      u->out[u->size++] = (unsigned char)symbol;
      continue;
    }
    symbol -= 257;
    if (symbol > 28) return rv_end_with(u, RV_DAMAGED);
    /* The number of further bits grows by one every four lengths, every two distances. */
    if (!rv_get_bits(u, symbol < 8 || symbol == 28 ? 0 : (int)symbol / 4 - 1, &more)) return false;
    unsigned length = lengths[symbol] + more;
    if (!rv_get_symbol(u, distances, &symbol)) return false;
    if (symbol > 29) return rv_end_with(u, RV_DAMAGED);
    int bits = symbol < 4 ? 0 : (int)symbol / 2 - 1;
    if (!rv_get_bits(u, bits, &far)) return false;
    far += symbol < 4 ? symbol + 1 : ((2 + (symbol & 1)) << bits) + 1;
    if (!rv_repeat(u, length, far)) return false;
  }
}

/* The lengths of the codes that a block brings along, which are packed themselves. */
static bool rv_read_lengths(rv_unpacking *u, rv_code *code, unsigned char *lengths, int *literals, int *distances) {
  static const unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  unsigned char own[19] = {0};
  unsigned first, second, third, value;
  if (!rv_get_bits(u, 5, &first) || !rv_get_bits(u, 5, &second) || !rv_get_bits(u, 4, &third)) return false;
  *literals = (int)first + 257;
  *distances = (int)second + 1;
  for (unsigned i = 0; i < third + 4; i++) {
    if (!rv_get_bits(u, 3, &value)) return false;
    own[order[i]] = (unsigned char)value;
  }
  if (*literals > 286 || *distances > 30) return rv_end_with(u, RV_DAMAGED);
  if (!rv_make_code(u, code, own, 19)) return false;
  for (int i = 0, all = *literals + *distances; i < all;) {
    unsigned times = 0, symbol;
    if (!rv_get_symbol(u, code, &symbol)) return false;
    if (symbol < 16) {
      lengths[i++] = (unsigned char)symbol;
      continue;
    }
    if (!rv_get_bits(u, symbol == 16 ? 2 : symbol == 17 ? 3 : 7, &times)) return false;
    times += symbol == 18 ? 11 : 3;
    if ((symbol == 16 && i == 0) || (int)times > all - i) return rv_end_with(u, RV_DAMAGED);
    unsigned char again = symbol == 16 ? lengths[i - 1] : 0;
    for (; times > 0; times--) lengths[i++] = again;
  }
  return true;
}

static bool rv_packed_block(rv_unpacking *u, rv_code *codes, bool fixed) {
  unsigned char lengths[320];
  int literals = 288, distances = 30;
  for (int i = 0; i < 288; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  if (fixed) {
    /* There are thirty-two, so that the code is complete; the last two have no meaning. */
    memset(lengths + literals, 5, 32);
    distances = 32;
  } else if (!rv_read_lengths(u, &codes[0], lengths, &literals, &distances)) {
    return false;
  }
  return rv_make_code(u, &codes[0], lengths, literals) && rv_make_code(u, &codes[1], lengths + literals, distances) &&
         rv_coded_block(u, &codes[0], &codes[1]);
}

/* Unpacks from the current position to the end of the data, or until there are enough bytes. */
RV_COLD static int rv_inflate(rv_unpacking *u) {
  rv_code *codes = malloc(2 * sizeof *codes);
  bool fine = codes != NULL;
  u->state = codes ? RV_UNPACKED : RV_NO_ROOM;
  for (unsigned last = 0, kind; fine && !last;) {
    fine = rv_get_bits(u, 1, &last) && rv_get_bits(u, 2, &kind);
    if (!fine) break;
    if (kind == 3) fine = rv_end_with(u, RV_DAMAGED);
    else fine = kind == 0 ? rv_plain_block(u) : rv_packed_block(u, codes, kind == 1);
  }
  free(codes);
  /* Whole bytes that were taken too early go back. */
  u->at -= (size_t)(u->count / 8);
  u->bits = 0;
  u->count = 0;
  return u->state;
}

/* The checksum of .gz and .zip files, from that of what came before. */
RV_COLD static uint32_t rv_checksum(uint32_t before, const void *data, size_t length) {
  static uint32_t table[256];
  const unsigned char *bytes = data;
  if (!table[1])
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t sum = i;
      for (int k = 0; k < 8; k++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
      table[i] = sum;
    }
  uint32_t sum = ~before;
  for (size_t i = 0; i < length; i++) sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 255];
  return ~sum;
}

static uint32_t rv_low_first(const void *data, int bytes) {
  uint32_t number = 0;
  for (int i = bytes; i-- > 0;) number = number << 8 | ((const unsigned char *)data)[i];
  return number;
}

/* Skips the text of a header, which a zero byte ends. */
static bool rv_skip_text(rv_unpacking *u) {
  while (u->at < u->length && u->in[u->at] != 0) u->at++;
  return u->at++ < u->length;
}

/* One member of a .gz file. */
static int rv_gunzip_member(rv_unpacking *u) {
  const unsigned char *head = u->in + u->at;
  static const unsigned char mark[] = {0x1f, 0x8b, 8};
  size_t left = u->length - u->at, start = u->size;
  if (memcmp(head, mark, left < 3 ? left : 3) != 0) return RV_DAMAGED;
  if (left < 10) return RV_CUT_OFF;
  unsigned flags = head[3];
  if (flags & 0xe0) return RV_DAMAGED;
  u->at += 10;
  if (flags & 4) {
    if (u->length - u->at < 2) return RV_CUT_OFF;
    size_t extra = rv_low_first(u->in + u->at, 2);
    if (u->length - u->at - 2 < extra) return RV_CUT_OFF;
    u->at += extra + 2;
  }
  if ((flags & 8 && !rv_skip_text(u)) || (flags & 16 && !rv_skip_text(u))) return RV_CUT_OFF;
  if (flags & 2) {
    if (u->length - u->at < 2) return RV_CUT_OFF;
    if (rv_low_first(u->in + u->at, 2) != (rv_checksum(0, head, (size_t)(u->in + u->at - head)) & 0xffff)) return RV_DAMAGED;
    u->at += 2;
  }
  if (rv_inflate(u) != RV_UNPACKED) return u->state;
  if (u->length - u->at < 8) return RV_CUT_OFF;
  bool same = rv_low_first(u->in + u->at, 4) == rv_checksum(0, u->out ? u->out + start : head, u->size - start) &&
              rv_low_first(u->in + u->at + 4, 4) == (uint32_t)(u->size - start);
  u->at += 8;
  return same ? RV_UNPACKED : RV_DAMAGED;
}

/* All members of a .gz file, one behind the other. */
RV_COLD static int rv_gunzip(rv_unpacking *u) {
  int state = RV_UNPACKED;
  do state = rv_gunzip_member(u);
  while (state == RV_UNPACKED && u->at < u->length);
  return state;
}
