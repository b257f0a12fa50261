// Every few seconds, load the page again and replace the parts that may have changed. Without
// scripts, the page is complete but does not update. A document parsed by XMLHttpRequest runs no
// scripts, and is allowed where trusted types are required.
const html = document.documentElement
const shown = document.querySelector('.live')
const pause = document.getElementById('pause')
let paused = false
let asking = false

// the list of live parts: if it changes, the whole page is reloaded
const names = page =>
  [...page.querySelectorAll('[data-live]')].map(part => part.tagName + part.id).join()

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
      // a part that has the focus stays, and only smaller parts inside it change
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
