// Every few seconds the parts of a page that may have changed are replaced by those of a new one.
// Without script the page is complete, and old. A document that XMLHttpRequest has parsed runs no
// scripts, and is allowed where trusted types are required.
const html = document.documentElement
const shown = document.querySelector('.live')
const pause = document.getElementById('pause')
let paused = false
let asking = false

// which parts there are: if others have come, the page has to be laid out again
const names = page => [...page.querySelectorAll('[data-live]')].map(part => part.tagName + part.id).join()

const say = words => {
  html.dataset.stale = words ? 'yes' : 'no'
  const place = document.getElementById('stale')
  if (place.textContent !== words) place.textContent = words
}

const again = () => {
  if (paused || asking || document.hidden) return
  asking = true
  const request = new XMLHttpRequest()
  request.open('GET', location.href)
  request.responseType = 'document'
  request.timeout = 30000
  request.onload = () => {
    if (new URL(request.responseURL).pathname !== location.pathname) return location.reload()
    const next = request.status === 200 ? request.response : null
    say(next ? '' : `Not updated: status ${request.status}`)
    if (!next) return
    if (names(next) !== names(document)) return location.reload()
    for (const part of document.querySelectorAll('[data-live]')) {
      const other = next.getElementById(part.id)
      // where somebody is in the middle of a part, it stays, and only smaller parts change
      if (other && !part.contains(document.activeElement) && !other.isEqualNode(part)) {
        part.replaceWith(document.importNode(other, true))
      }
    }
  }
  request.onerror = request.ontimeout = () => say('Not updated: no connection')
  request.onloadend = () => { asking = false }
  request.send()
}

if (shown && document.querySelector('[data-live]')) {
  shown.hidden = false
  pause.addEventListener('click', () => {
    paused = !paused
    pause.setAttribute('aria-pressed', paused)
    html.dataset.paused = paused ? 'yes' : 'no'
    again()
  })
  document.addEventListener('visibilitychange', again)
  setInterval(again, 1000 * Number(html.dataset.refresh))
}

const print = document.getElementById('print')
if (print) {
  print.hidden = false
  print.addEventListener('click', () => window.print())
}
