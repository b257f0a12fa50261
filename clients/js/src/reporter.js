// Rounds from choice to delivery: a report is drawn once, stored, and sent when it is due.

import { MemoryStore } from './stores.js'

const BUDGET = 'reports' // the key of the number of reports so far

/**
 * Plays rounds with a device and delivers their reports.
 *
 * A round waits for its outcome until its deadline, which is fixed when the arm is chosen. Then a
 * report is drawn from the outcome, or from `defaultReward` if there was none. So the time of
 * sending does not depend on the answer. The drawn report replaces the round in the store before it
 * is sent: after any failure the same bytes are sent again, and no report is drawn twice. Outcomes
 * that wait for their deadline are raw, and stay on this device.
 *
 * `send(report)` delivers 32 bytes. It returns true once the server has them (even if it already
 * had them), returns false if the server refuses them permanently, and throws to be called again
 * later.
 */
export class Reporter {
  #device
  #send
  #store
  #wait
  #default
  #most
  #clock

  constructor({ device, send, wait, defaultReward, store, maxReports, clock = Date.now }) {
    if (!(Number.isFinite(wait) && wait > 0)) {
      throw new RangeError(`wait is ${wait}, but must be a positive number of milliseconds.`)
    }
    if (maxReports !== undefined && !(Number.isSafeInteger(maxReports) && maxReports > 0)) {
      throw new RangeError(`maxReports is ${maxReports}, but must be a whole number of at least 1.`)
    }
    device.check(defaultReward)
    this.#device = device
    this.#send = send
    this.#store = store ?? new MemoryStore()
    this.#wait = wait
    this.#default = defaultReward
    this.#most = maxReports ?? Infinity
    this.#clock = clock
  }

  /**
   * Choose an arm; return it with the name of its round.
   *
   * The name is null if the budget is used up: the arm is as good, but nothing is reported.
   */
  async choose(contexts) {
    const arm = this.#device.choose(contexts)
    const round = this.#device.takeRound()
    if (!(await this.#charge())) return { arm, round: null }
    const due = this.#clock() + this.#wait
    const name = `${String(due).padStart(16, '0')}-${crypto.randomUUID()}`
    await this.#store.update(name, () => ({ due, round, reward: null, report: null }))
    return { arm, round: name }
  }

  /** Store the outcome of a round until its deadline; late and repeated outcomes are ignored. */
  async tell(name, reward) {
    this.#device.check(reward)
    if (name === null) return
    await this.#store.update(name, (kept) => {
      const open = kept && kept.round && kept.reward === null && this.#clock() < kept.due
      return open ? { ...kept, reward } : kept
    })
  }

  /**
   * Draw and send the reports that are due; return how many were delivered.
   *
   * Call it when the page starts, and at `nextDue`.
   */
  async deliver() {
    let delivered = 0
    for (const [name, kept] of await this.#store.entries()) {
      if (name === BUDGET || kept.due > this.#clock()) continue
      const { report } = (await this.#store.update(name, (now) => this.#drawn(now))) ?? {}
      if (!report) continue // another tab has delivered it
      const accepted = await this.#send(report)
      await this.#store.update(name, () => null)
      if (accepted) delivered += 1
    }
    return delivered
  }

  /** Return when the next report is due, in milliseconds since 1970; null if none is. */
  async nextDue() {
    const found = (await this.#store.entries()).filter(([name]) => name !== BUDGET)
    return found.length ? found[0][1].due : null
  }

  /** Return the round with its report, drawn now unless it was drawn before. */
  #drawn(kept) {
    if (!kept || kept.report) return kept
    const reward = kept.reward ?? this.#default
    return { due: kept.due, report: this.#device.reportOf(kept.round, reward) }
  }

  /** Charge the budget for a report; return whether it allows this. */
  async #charge() {
    if (this.#most === Infinity) return true
    let allowed = false
    await this.#store.update(BUDGET, (spent) => {
      allowed = (spent ?? 0) < this.#most
      return (spent ?? 0) + Number(allowed)
    })
    return allowed
  }
}

/** Return a `send` for the reports of a server at an address, with the browser's own requests. */
export function sendTo(url, options = {}) {
  return async (report) => {
    const reply = await fetch(url, {
      method: 'POST',
      body: report,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      ...options,
      headers: { 'Content-Type': 'application/octet-stream', ...options.headers },
    })
    if (reply.status >= 500 || reply.status === 429) {
      throw new Error(`the server answered with status ${reply.status}.`)
    }
    return reply.ok || reply.status === 409 // 409: it was received before
  }
}
