// A device chooses with a published model, makes one noisy report of the outcome, and forgets both.

import { systemBytes } from './coins.js'
import { SEED, dot, encode } from './directions.js'
import { makeTask } from './tasks.js'

const FORMAT = 1
const HEAD = 15 // two letters, the format, eight bytes of the task, four of the version
const DIGEST = 3 // where it begins
const VERSION = 11
export const REPORT_SIZE = HEAD + SEED + 1
const TOLERANCE = 1e-9 // for the length of contexts, as on the server's side

/**
 * Chooses with a published model, and reports the outcome once, with exact noise.
 *
 * A report is epsilon-differentially private by itself, for features and outcome together. The
 * choice is not protected: anyone who sees it learns about the features. `Device.create` computes
 * the digest of the task, so models of another task are refused.
 */
export class Device {
  #task
  #clip
  #random
  #model = null
  #open = null

  constructor(task, { clip = false, random = systemBytes } = {}) {
    this.#task = task
    this.#clip = clip
    this.#random = random
  }

  /** Return a device; its settings must match those of the server. */
  static async create({ clip = false, random = systemBytes, ...terms }) {
    return new Device(await makeTask(terms), { clip, random })
  }

  /** The version of the current model, or null. */
  get version() {
    return this.#model && this.#model.version
  }

  /** Use a newly published model; the open round keeps its own. */
  update(bytes) {
    this.#model = readModel(this.#task, bytes)
  }

  /** Return the arm to play, given one row of features per arm; forget an open round. */
  choose(contexts) {
    if (!this.#model) {
      throw new Error('there is no model yet: call update with a model that the server published.')
    }
    const rows = checkContexts(contexts, this.#task, this.#clip)
    const arm = this.#task.kind.choose(this.#model.values, rows)
    this.#open = { model: this.#model.bytes, features: Array.from(rows[arm]) }
    return arm
  }

  /** Return the open round as plain data, to be stored on this device, and forget it here. */
  takeRound() {
    const round = this.#open
    this.#open = null
    if (!round) {
      throw new Error('no round is open: call choose first, and report each round once.')
    }
    return round
  }

  /** Return the report of the open round, once; the round is forgotten in any case. */
  report(reward) {
    return this.reportOf(this.takeRound(), reward)
  }

  /** Return a report of a round that was taken. Never call it twice for the same round. */
  reportOf({ model, features }, reward) {
    const task = this.#task
    const { values, version } = readModel(task, model)
    const outcome = checkReward(reward, task.range, this.#clip)
    const vector = task.kind.statistic({ features, reward: outcome, model: values, task })
    const message = new Uint8Array(REPORT_SIZE)
    message.set([0x64, 0x72, FORMAT]) // dr
    message.set(task.digest, DIGEST)
    new DataView(message.buffer).setUint32(VERSION, version, true)
    message.set(encode(vector, task.epsilon, this.#random), HEAD)
    return message
  }

  /** Throw an error if a reward is not valid. */
  check(reward) {
    checkReward(reward, this.#task.range, this.#clip)
  }
}

/** Return the numbers and the version of a model, or refuse the message. */
function readModel(task, message) {
  if (!(message instanceof Uint8Array)) throw new TypeError('the model must be a Uint8Array.')
  const size = HEAD + 8 * task.kind.modelSize(task.dimension)
  if (message.length !== size) {
    throw new RangeError(
      `the model has ${message.length} bytes, but must have ${size} in this task.`,
    )
  }
  if (message[0] !== 0x64 || message[1] !== 0x6d) {
    throw new RangeError('the message is not a model.')
  }
  if (message[2] !== FORMAT) {
    throw new RangeError(
      `the model has format ${message[2]}, but this version reads format ${FORMAT}.`,
    )
  }
  if (task.digest.some((byte, i) => byte !== message[DIGEST + i])) {
    throw new RangeError(
      'the model belongs to another task: device and server must have the same settings.',
    )
  }
  const bytes = message.slice()
  const view = new DataView(bytes.buffer)
  const numbers = new Float64Array(task.kind.modelSize(task.dimension))
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat64(HEAD + 8 * i, true)
  if (!numbers.every(Number.isFinite)) {
    throw new RangeError('the model has entries that are not finite numbers.')
  }
  const values = task.kind.read(numbers, task.dimension)
  return { bytes, values, version: view.getUint32(VERSION, true) }
}

/** Return contexts as rows of numbers, none longer than declared, or refuse them. */
function checkContexts(contexts, { dimension, norm }, clip) {
  const rows = Array.from(contexts, (row) => Float64Array.from(row))
  if (rows.length < 2 || rows.some((row) => row.length !== dimension)) {
    throw new RangeError(`contexts must have at least 2 rows of ${dimension} features.`)
  }
  if (!rows.every((row) => row.every(Number.isFinite))) {
    throw new RangeError('contexts has entries that are not finite numbers.')
  }
  return rows.map((row) => {
    const largest = Math.max(norm, ...row.map(Math.abs)) // so that squares do not overflow
    const scaled = row.map((part) => part / largest)
    const length = Math.sqrt(dot(scaled, scaled))
    if (length <= (norm / largest) * (1 + TOLERANCE)) return row
    if (clip) return scaled.map((part) => (part * norm) / length)
    throw new RangeError(
      `a context is longer than the declared norm ${norm}: ` +
        'declare a larger norm, or use clip: true.',
    )
  })
}

/** Return a reward in range, or refuse it. */
function checkReward(reward, { low, high }, clip) {
  if (typeof reward !== 'number' || !Number.isFinite(reward)) {
    throw new RangeError('the reward is not a finite number.')
  }
  if (!clip && !(reward >= low && reward <= high)) {
    throw new RangeError(
      `the reward is outside the declared range ${low} to ${high}; clip: true would clip it.`,
    )
  }
  return reward
}
