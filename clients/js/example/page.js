// Headlines that are chosen on this device, and reports to a decision service.
//
//   index.html?service=http://localhost:8000&task=headlines&wait=300
//
// The service must allow this page: discreet serve --origin http://localhost:8080

import { BrowserStore, Device, Reporter, sendTo } from '../src/index.js'

const HEADLINES = [
  // a headline, and what it is about: sport, politics, science
  ['The underdog wins', [1, 0, 0]],
  ['Parliament votes at night', [0, 1, 0]],
  ['A new moon of Saturn', [0, 0, 1]],
]

const asked = new URLSearchParams(location.search)
const service = asked.get('service') ?? 'http://localhost:8000'
const task = `${service}/v1/tasks/${encodeURIComponent(asked.get('task') ?? 'headlines')}`
const wait = 1000 * Number(asked.get('wait') ?? 300)

const element = (id) => document.getElementById(id)
const say = (words) => {
  element('status').textContent = words
}

/** Return a device for the task, with its newest model. */
async function makeDevice() {
  const terms = await (await fetch(task, { credentials: 'omit' })).json()
  const device = await Device.create({ ...terms, clip: true })
  const model = await fetch(`${task}/model`, { credentials: 'omit' })
  device.update(new Uint8Array(await model.arrayBuffer()))
  return device
}

/** Deliver what is due, now and whenever the next report is due. */
async function keepDelivering(reporter) {
  try {
    const delivered = await reporter.deliver()
    if (delivered) say(`${delivered} sent. Your clicks stay on this device.`)
  } catch {
    say('The service cannot be reached. The report will be sent later.')
  }
  const due = await reporter.nextDue()
  const pause = due === null ? wait : Math.max(due - Date.now(), 1000)
  setTimeout(() => keepDelivering(reporter), Math.min(pause, 60_000))
}

async function main() {
  const device = await makeDevice()
  const reporter = new Reporter({
    device,
    send: sendTo(`${task}/reports`),
    store: new BrowserStore('headlines'),
    wait,
    defaultReward: 0,
    maxReports: 20,
  })
  const features = HEADLINES.map(([, about]) => about)
  let round = null

  async function show() {
    const chosen = await reporter.choose(features)
    round = chosen.round
    element('headline').textContent = HEADLINES[chosen.arm][0]
    element('read').disabled = false
  }
  element('read').addEventListener('click', async () => {
    element('read').disabled = true
    await reporter.tell(round, 1)
  })
  element('next').addEventListener('click', show)
  await show()
  element('next').disabled = false
  keepDelivering(reporter)
}

main().catch(() => say('The service cannot be reached. Try again later.'))
