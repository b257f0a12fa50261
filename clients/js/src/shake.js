// SHAKE-256, which WebCrypto does not have. Each of the 25 lanes of 64 bits is two halves of 32.

const RATE = 136 // bytes of a block
const LANES = 25
const { constants, turns, places } = tables()

/** The round constants (low and high halves); how far each lane is rotated, and where it goes. */
function tables() {
  const constants = new Uint32Array(48)
  for (let round = 0, bits = 1; round < 24; round++) {
    for (let j = 0; j < 7; j++) {
      const place = (1 << j) - 1
      if (bits & 1) constants[2 * round + (place >> 5)] |= 1 << (place & 31)
      bits = (bits << 1) ^ (bits >> 7 ? 0x171 : 0)
    }
  }
  const turns = new Uint8Array(LANES)
  for (let t = 0, x = 1, y = 0; t < 24; t++) {
    turns[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  const places = new Uint8Array(LANES)
  for (let x = 0; x < 5; x++) for (let y = 0; y < 5; y++) places[x + 5 * y] = y + 5 * ((2 * x + 3 * y) % 5)
  return { constants, turns, places }
}

function permute(state) {
  const columns = new Uint32Array(10)
  const moved = new Uint32Array(2 * LANES)
  for (let round = 0; round < 24; round++) {
    for (let i = 0; i < 10; i++) {
      columns[i] = state[i] ^ state[i + 10] ^ state[i + 20] ^ state[i + 30] ^ state[i + 40]
    }
    for (let x = 0; x < 5; x++) {
      const before = 2 * ((x + 4) % 5)
      const after = 2 * ((x + 1) % 5)
      const low = columns[before] ^ ((columns[after] << 1) | (columns[after + 1] >>> 31))
      const high = columns[before + 1] ^ ((columns[after + 1] << 1) | (columns[after] >>> 31))
      for (let lane = x; lane < LANES; lane += 5) {
        state[2 * lane] ^= low
        state[2 * lane + 1] ^= high
      }
    }
    for (let lane = 0; lane < LANES; lane++) {
      const turn = turns[lane]
      // from 32 on, the halves swap
      const low = state[2 * lane + (turn >> 5)]
      const high = state[2 * lane + 1 - (turn >> 5)]
      const by = turn & 31
      const to = 2 * places[lane]
      moved[to] = by ? (low << by) | (high >>> (32 - by)) : low
      moved[to + 1] = by ? (high << by) | (low >>> (32 - by)) : high
    }
    for (let row = 0; row < LANES; row += 5) {
      for (let x = 0; x < 5; x++) {
        const one = 2 * (row + ((x + 1) % 5))
        const two = 2 * (row + ((x + 2) % 5))
        const at = 2 * (row + x)
        state[at] = moved[at] ^ (~moved[one] & moved[two])
        state[at + 1] = moved[at + 1] ^ (~moved[one + 1] & moved[two + 1])
      }
    }
    state[0] ^= constants[2 * round]
    state[1] ^= constants[2 * round + 1]
  }
}

/** Return that many bytes for a message of less than one block. */
export function shake256(message, length) {
  if (message.length >= RATE) throw new RangeError(`a message has at most ${RATE - 1} bytes.`)
  const block = new Uint8Array(RATE)
  block.set(message)
  block[message.length] ^= 0x1f
  block[RATE - 1] ^= 0x80
  const words = new DataView(block.buffer)
  const state = new Uint32Array(2 * LANES)
  for (let i = 0; i < RATE / 4; i++) state[i] = words.getUint32(4 * i, true)
  const bytes = new Uint8Array(Math.ceil(length / RATE) * RATE)
  const written = new DataView(bytes.buffer)
  for (let start = 0; start < length; start += RATE) {
    permute(state)
    for (let i = 0; i < RATE / 4; i++) written.setUint32(start + 4 * i, state[i], true)
  }
  return bytes.slice(0, length)
}
