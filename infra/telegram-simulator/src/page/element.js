/**
 * Builds an element. Texts become text nodes, never markup. `on` holds listeners, `data` holds data attributes,
 * everything else is an attribute; false, null and undefined leave it out.
 */
export function element(tag, { on = {}, data = {}, ...attributes } = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [name, value] of Object.entries(data)) if (value !== undefined) node.dataset[name] = value;
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** The element of an id that index.html has. */
export function byId(id) {
  return document.getElementById(id);
}

/** One of the drawings at the top of index.html. */
export function icon(name) {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  const use = document.createElementNS(namespace, 'use');
  use.setAttribute('href', `#icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  svg.append(use);
  return svg;
}

/** A circle with a letter, in a color that stays with the id. */
export function personAvatar(id, name) {
  const letter = [...name][0]?.toUpperCase() ?? '?';
  return element('span', { class: 'avatar', 'aria-hidden': 'true', data: { hue: String(id % 7) } }, letter);
}

/** The number on a row, or nothing for zero. */
export function badge(count) {
  if (count === 0) return null;
  return element('span', { class: 'badge', 'aria-label': `${count} unread` }, count > 99 ? '99+' : String(count));
}
