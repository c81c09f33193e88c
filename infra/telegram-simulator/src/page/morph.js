/** What a person did to an element; a new drawing of the same thing leaves it alone. */
const OF_THE_PERSON = new Set(['open', 'data-open', 'aria-expanded', 'tabindex', 'data-busy', 'data-copied']);

/**
 * Makes the children of an element look like the wanted ones and changes as little as it can: what somebody opened,
 * scrolled, selected or focused stays. Elements with the same `data-key` are the same thing wherever they stand.
 */
export function morphChildren(parent, wanted) {
  const next = wanted.map((node) => (typeof node === 'string' ? document.createTextNode(node) : node));
  const kept = new Set(next.map(keyOf).filter(Boolean));
  const known = new Map();
  for (const child of Array.from(parent.childNodes)) {
    const key = keyOf(child);
    if (key && !kept.has(key)) child.remove();
    else if (key) known.set(key, child);
  }
  let cursor = parent.firstChild;
  for (const node of next) {
    const key = keyOf(node);
    const same = key ? known.get(key) : cursor;
    if (!same || !isSameThing(same, node)) {
      parent.insertBefore(node, cursor);
      continue;
    }
    if (same === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(same, cursor);
    morph(same, node);
  }
  while (cursor) {
    const rest = cursor.nextSibling;
    cursor.remove();
    cursor = rest;
  }
}

/** Makes one element look like another of its kind. */
export function morph(node, wanted) {
  if (node === wanted || node.isEqualNode(wanted)) return;
  if (node.nodeType === Node.TEXT_NODE) {
    node.data = wanted.data;
    return;
  }
  for (const { name } of Array.from(node.attributes)) {
    if (!wanted.hasAttribute(name) && !OF_THE_PERSON.has(name)) node.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (!OF_THE_PERSON.has(name) && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  morphChildren(node, [...wanted.childNodes]);
}

function keyOf(node) {
  return node.dataset?.key;
}

function isSameThing(node, wanted) {
  return node.nodeName === wanted.nodeName && keyOf(node) === keyOf(wanted);
}
