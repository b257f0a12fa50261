// What only a browser can test: vectors, IndexedDB, two tabs, and reports that a server accepts.

import { BrowserStore, Device, Reporter, sendTo } from '../src/index.js'
import { checkVectors } from './check_vectors.js'

const problems = []
const check = (holds, what) => holds || problems.push(what)

async function checkReports(terms) {
  const device = await Device.create(terms)
  device.update(new Uint8Array(await (await fetch('/model')).arrayBuffer()))
  const time = { now: 1_000 }
  const settings = {
    device,
    wait: 50,
    defaultReward: 0,
    maxReports: 3,
    store: new BrowserStore(`test-${crypto.randomUUID()}`),
    clock: () => time.now,
  }
  const tried = []
  const offline = async (report) => {
    tried.push(report.join())
    throw new Error('offline')
  }
  const contexts = [
    [0.9, 0.1, 0],
    [0.2, 0.5, 0.3],
  ]
  const first = new Reporter({ ...settings, send: offline })
  const { round } = await first.choose(contexts)
  await first.tell(round, 1)
  await first.choose(contexts)
  check((await first.deliver()) === 0, 'nothing is due yet')
  time.now += 50
  for (let i = 0; i < 3; i++) {
    await first.deliver().then(
      () => problems.push('an error of send was swallowed'),
      () => null,
    )
  }
  check(new Set(tried).size === 1, 'a report was drawn twice')
  // a second tab with the same database, at the same time
  const send = sendTo('/reports')
  const same = async (report) => send(report).then((ok) => tried.push(report.join()) && ok)
  const second = new Reporter({ ...settings, send: same })
  const third = new Reporter({ ...settings, send: same })
  await Promise.all([second.deliver(), third.deliver()])
  check(new Set(tried).size === 2, 'two tabs drew different reports of one round')
  check((await second.nextDue()) === null, 'something is left')
  check((await second.choose(contexts)).round !== null, 'the budget ended early')
  check((await third.choose(contexts)).round === null, 'the budget did not end')
}

async function main() {
  const vectors = await (await fetch('vectors.json')).json()
  const { checked, wrong } = await checkVectors(vectors)
  problems.push(...wrong)
  await checkReports({ dimension: 3, epsilon: 1 })
  return `${checked} vectors, ${problems.length} problems: ${problems.join('; ')}`
}

main()
  .catch((error) => `failed: ${error.stack}`)
  .then((words) => fetch('/result', { method: 'POST', body: words }))
