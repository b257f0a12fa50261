// What devices and server must agree on: how to choose, what a report is about, and the digest.

import { checkRange, clamp, fraction, leastShare } from './coins.js'
import { dot } from './directions.js'

const FORMAT = 1
const BALANCE = 2 // of the two kinds of moments
const SHORTEST = 1e-140 // length of a context: squares of shorter ones underflow

/** Algorithms for devices: sizes of models and reports, the choice, the statistic. */
const ALGORITHMS = {
  'local-greedy': {
    modelSize: (d) => 2 * d,
    reportSize: (d) => d,
    facts: ({ norm }) => [norm],
    read: (numbers, d) => ({ estimate: numbers.subarray(0, d), point: numbers.subarray(d, 2 * d) }),
    choose: chooseGreedily,
    statistic: residual,
  },
  'local-linucb': {
    modelSize: (d) => d + d * d + 1,
    reportSize: (d) => (d * (d + 3)) / 2,
    facts: ({ norm, dimension }) => [norm, dimension, ...weights()],
    read: (numbers, d) => ({
      estimate: numbers.subarray(0, d),
      spread: numbers.subarray(d, d + d * d),
      widest: numbers[d + d * d],
    }),
    choose: chooseOptimistically,
    statistic: moments,
  },
}

/** Return a task, or refuse its settings; all of them must match those of the server. */
export async function makeTask(terms) {
  const { algorithm = 'local-greedy', dimension, epsilon, low = 0, high = 1, norm = 1 } = terms
  const kind = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : null
  if (!kind) {
    const known = Object.keys(ALGORITHMS).join(', ')
    throw new RangeError(`algorithm is ${algorithm}, but must be one for devices: ${known}.`)
  }
  if (!Number.isSafeInteger(dimension) || dimension < 1) {
    throw new RangeError(`dimension is ${dimension}, but must be a whole number of at least 1.`)
  }
  if (!Number.isFinite(norm) || norm <= 0) {
    throw new RangeError(`norm is ${norm}, but must be a positive number.`)
  }
  leastShare(epsilon)
  const range = checkRange(low, high)
  const size = kind.reportSize(dimension)
  const numbers = kind.facts({ norm, dimension }).map(asPythonWrites)
  const given = [low, high, epsilon].map(asPythonWrites)
  const facts = [FORMAT, algorithm, ...given, 'hemisphere', size, ...numbers]
  const text = `[${facts.map((fact) => JSON.stringify(fact)).join(', ')}]`
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return { kind, dimension, epsilon, range, norm, digest: new Uint8Array(digest).slice(0, 8) }
}

/** Return a number as Python's repr writes it: the digest is of such texts. */
export function asPythonWrites(number) {
  const [digits, power] = number.toExponential().split('e')
  const exponent = Number(power)
  if (number !== 0 && (exponent < -4 || exponent >= 16)) {
    const sign = exponent < 0 ? '-' : '+'
    return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  const text = number.toString()
  return text.includes('.') ? text : `${text}.0`
}

/** Play the arm with the largest estimate; ties go to the first. */
function chooseGreedily({ estimate }, contexts) {
  let best = 0
  let most = -Infinity
  contexts.forEach((features, arm) => {
    const score = dot(features, estimate)
    if (score > most) [best, most] = [arm, score]
  })
  return best
}

/** Play the arm with the largest plausible reward: estimate plus uncertainty. */
function chooseOptimistically({ estimate, spread }, contexts) {
  const size = estimate.length
  let best = 0
  let most = -Infinity
  contexts.forEach((features, arm) => {
    let square = 0
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) square += features[i] * spread[size * i + j] * features[j]
    }
    const score = dot(features, estimate) + Math.sqrt(Math.max(square, 0))
    if (score > most) [best, most] = [arm, score]
  })
  return best
}

/** Return the length of a context; 0 if it is not finite, or too short to compute. */
function lengthOf(features) {
  const square = dot(features, features)
  return square >= SHORTEST * SHORTEST && square < Infinity ? Math.sqrt(square) : 0
}

const signed = (reward, range) => 2 * fraction(reward, range) - 1

/** Return in which direction the public point should move: a vector of length at most 1. */
function residual({ features, reward, model, task }) {
  const length = lengthOf(features)
  const vector = new Float64Array(task.dimension)
  if (length === 0) return vector
  const along = dot(model.point, features) / Math.max(length, task.norm)
  const predicted = along === along ? clamp(along, -1, 1) : 0
  const gap = predicted - signed(reward, task.range)
  const factor = gap / ((1 + Math.abs(predicted)) * length)
  return vector.map((_, i) => factor * features[i])
}

/** Return the weighted moments x x' and y x as one vector of length at most 1. */
function moments({ features, reward, task }) {
  const size = task.dimension
  const vector = new Float64Array((size * (size + 3)) / 2)
  const length = lengthOf(features)
  if (length === 0) return vector
  const [diagonal, offDiagonal, linear] = weights()
  const factor = 1 / Math.max(length, task.norm)
  const outcome = signed(reward, task.range)
  let place = 0
  for (let i = 0; i < size; i++) {
    const along = factor * features[i]
    for (let j = 0; j < i; j++) vector[place++] = offDiagonal * factor * along * features[j]
    vector[place++] = diagonal * along * along
    vector[vector.length - size + i] = linear * outcome * along
  }
  return vector
}

/** Return the weights of x x' on and off the diagonal, and of y x. */
function weights() {
  const first = 1 / Math.sqrt(1 + BALANCE)
  return [first, Math.sqrt(2) * first, Math.sqrt(BALANCE / (1 + BALANCE))]
}
