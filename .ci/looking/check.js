// Looks at a page that is open, and returns what is wrong with it, and how many pieces of text there are.
(() => {
  const faults = []
  document.querySelectorAll('details').forEach(folded => { folded.open = true })

  // MARK: What there is to see

  const isSpokenOnly = element => {
    for (let each = element; each instanceof Element; each = each.parentElement) {
      const style = getComputedStyle(each)
      if (style.display == 'none' || style.visibility == 'hidden' || style.opacity == '0') return true
      if (style.clipPath == 'inset(50%)') return true
    }
    return false
  }

  // Each line of each piece of text, with where it is.
  const texts = []
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const element = node.parentElement
    if (!node.data.trim() || element.closest('title, desc, style, script, head') || isSpokenOnly(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const box of range.getClientRects()) {
      if (box.width > 0 && box.height > 0) texts.push({ node, element, box })
    }
  }

  const named = text => JSON.stringify(text.node.data.trim().replace(/\s+/g, ' ').slice(0, 60))

  // MARK: Nothing is cut off

  const root = document.scrollingElement ?? document.documentElement
  if (root.scrollWidth > innerWidth + 1) faults.push(`wider than the window: by ${root.scrollWidth - innerWidth} pixels`)

  const leavesBox = (inner, outer) =>
    inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2

  for (const text of texts) {
    for (let each = text.element; each instanceof Element; each = each.parentElement) {
      const style = getComputedStyle(each)
      const isPicture = each.localName == 'svg'
      const clips = isPicture || [style.overflowX, style.overflowY].some(way => way == 'hidden' || way == 'clip')
      if (clips && leavesBox(text.box, each.getBoundingClientRect())) {
        faults.push(`cut off: ${named(text)}`)
        break
      }
      // What can be scrolled to is there.
      if ([style.overflowX, style.overflowY].some(way => way == 'auto' || way == 'scroll')) break
    }
  }

  // On a phone a table is scrolled. In a wide window, no reader looks for the columns behind the edge of its box.
  if (innerWidth >= 1280) {
    for (const table of document.querySelectorAll('table')) {
      if (isSpokenOnly(table)) continue
      for (let each = table.parentElement; each && each != root; each = each.parentElement) {
        if (!/auto|scroll/.test(getComputedStyle(each).overflowX)) continue
        const hidden = each.scrollWidth - each.clientWidth
        if (hidden > 1) faults.push(`table wider than its box: by ${hidden} pixels, ${JSON.stringify(table.textContent.trim().slice(0, 30))}`)
        break
      }
    }
  }

  // MARK: Nothing overlaps

  // The boxes of two lines below each other may touch: only the middle of a line counts.
  const middle = box => ({
    left: box.left + 1, right: box.right - 1, top: box.top + box.height * 0.2, bottom: box.bottom - box.height * 0.2,
  })
  const boxes = texts.map(text => ({ text, ...middle(text.box) })).sort((one, other) => one.top - other.top)
  boxes.forEach((one, index) => {
    for (let next = index + 1; next < boxes.length && boxes[next].top < one.bottom; next++) {
      const other = boxes[next]
      if (other.left < one.right && one.left < other.right) {
        faults.push(`overlapping: ${named(one.text)} and ${named(other.text)}`)
      }
    }
  })

  // MARK: Text can be read

  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  // Any way to write a colour, as red, green and blue from 0 to 255, and how much of it covers what is behind.
  const parsed = colour => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [red, green, blue, cover] = canvas.getImageData(0, 0, 1, 1).data
    return { rgb: [red, green, blue], cover: cover / 255 }
  }
  const over = (front, back) => front.rgb.map((value, index) => value * front.cover + back[index] * (1 - front.cover))
  const brightness = rgb => {
    const [red, green, blue] = rgb.map(value => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const contrast = (one, other) => {
    const [dark, bright] = [brightness(one), brightness(other)].sort((left, right) => left - right)
    return (bright + 0.05) / (dark + 0.05)
  }
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const usesSchemes = getComputedStyle(document.documentElement).colorScheme.includes('dark')
  const paper = isDark && usesSchemes ? [18, 18, 18] : [255, 255, 255]

  // The colour behind an element. What is drawn in a picture before a text is not looked at but for the first shape that covers it.
  const behind = text => {
    const layers = []
    const picture = text.element.closest('svg')
    if (picture) {
      for (const shape of picture.querySelectorAll('rect')) {
        if (!(shape.compareDocumentPosition(text.element) & Node.DOCUMENT_POSITION_FOLLOWING)) continue
        if (leavesBox(text.box, shape.getBoundingClientRect()) || isSpokenOnly(shape)) continue
        const style = getComputedStyle(shape)
        if (style.fill == 'none' || style.fill.startsWith('url')) continue
        const colour = parsed(style.fill)
        layers.unshift({ ...colour, cover: colour.cover * style.fillOpacity * style.opacity })
      }
    }
    for (let each = text.element; each instanceof Element; each = each.parentElement) {
      const style = getComputedStyle(each)
      if (each instanceof HTMLElement) layers.push(parsed(style.backgroundColor))
    }
    return layers.reduceRight((back, layer) => over(layer, back), paper)
  }

  for (const text of texts) {
    const style = getComputedStyle(text.element)
    const back = behind(text)
    const ink = over(parsed(text.element instanceof SVGElement ? style.fill : style.color), back)
    const size = parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.6 && style.fontWeight >= 700)
    const has = contrast(ink, back)
    if (has < (isLarge ? 3 : 4.5)) faults.push(`too faint: ${named(text)} has a contrast of ${has.toFixed(1)}`)
  }

  // MARK: Each colour has a text

  // Whether it is a colour at all, not a grey.
  const isColour = rgb => Math.max(...rgb) - Math.min(...rgb) > 50
  const colours = paint => (paint.match(/(?:color\([^)]*\)|rgba?\([^)]*\)|#[0-9a-f]{3,8})/gi) ?? [])
    .map(parsed).filter(each => each.cover > 0.1 && isColour(each.rgb)).map(each => each.rgb.join())

  // What is drawn and says nothing itself: a bar, a mark, a line.
  const inked = element => {
    const style = getComputedStyle(element)
    if (element instanceof SVGElement) {
      if (element instanceof SVGSVGElement || element.localName == 'text' || element.localName == 'tspan') return []
      if (!(element instanceof SVGGeometryElement)) return []
      return [...colours(style.fill), ...(parseFloat(style.strokeWidth) > 0 ? colours(style.stroke) : [])]
    }
    if (element.textContent.trim()) return []
    return [...colours(style.backgroundColor), ...colours(style.backgroundImage)]
  }

  const isLegend = element => element.closest('.legend li, .legend > g')
  const explained = new Set()
  const marks = []
  for (const element of document.querySelectorAll('*')) {
    if (isSpokenOnly(element)) continue
    const box = element.getBoundingClientRect()
    if (box.width == 0 && box.height == 0) continue
    const own = inked(element)
    const legend = isLegend(element)
    if (legend) {
      if (legend.textContent.trim()) own.forEach(colour => explained.add(colour))
    } else if (own.length) {
      marks.push({ element, own })
    }
  }
  // Or by text of the same colour, or by one on the same line: the name of a bar stands beside it.
  for (const text of texts) {
    const style = getComputedStyle(text.element)
    colours(text.element instanceof SVGElement ? style.fill : style.color).forEach(colour => explained.add(colour))
  }
  const isNamedBeside = element => {
    const box = element.getBoundingClientRect()
    return texts.some(text => {
      const centre = (text.box.top + text.box.bottom) / 2
      return box.height < 4 * text.box.height && centre > box.top - text.box.height && centre < box.bottom + text.box.height
        && text.element.closest('svg, tr, li, p') == element.closest('svg, tr, li, p')
    })
  }
  const unknown = new Map()
  for (const { element, own } of marks) {
    for (const colour of own) {
      if (!explained.has(colour) && !isNamedBeside(element)) unknown.set(colour, element)
    }
  }
  for (const [colour, element] of unknown) {
    faults.push(`a colour without a text: rgb(${colour}) of <${element.localName} class="${element.getAttribute('class') ?? ''}">`)
  }

  return { faults: [...new Set(faults)], texts: texts.length }
})()
