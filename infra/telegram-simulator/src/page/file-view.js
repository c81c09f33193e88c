import { element, icon } from './element.js';
import { lengthOf } from './time.js';

/** Draws the file of a message, or those of an album: pictures side by side, the others as a list. */
export function renderFiles(messages) {
  const isPhotos = messages.every(({ file }) => file.kind === 'photo');
  const count = Math.min(messages.length, 4);
  return element(
    'div',
    { class: isPhotos ? `photos count-${count}` : 'files', dir: 'ltr' },
    ...messages.map(({ file }) => renderFile(file)),
  );
}

/** "1.4 MB", as people say it. */
export function sizeOf(bytes) {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const amount = bytes / 1024 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}

function renderFile(file) {
  if (file.kind === 'photo' && file.url) return renderPhoto(file);
  if (file.kind === 'voice' && file.url) return renderVoice(file);
  return renderDocument(file);
}

function renderPhoto({ url, width, height, name }) {
  return element(
    'button',
    { type: 'button', class: 'photo', 'aria-label': 'Show the photo', data: { do: 'photo', value: url } },
    // The size reserves the room, so that nothing moves when the picture arrives.
    element('img', { src: url, width, height, alt: name || 'Photo', loading: 'lazy' }),
  );
}

function renderVoice({ url, durationSeconds }) {
  const length = durationSeconds ?? 0;
  return element(
    'div',
    { class: 'file voice' },
    element(
      'button',
      { type: 'button', class: 'file-icon', 'aria-label': 'Play the voice message', data: { do: 'play', value: url } },
      icon('play'),
    ),
    element('progress', { class: 'voice-progress', max: Math.max(length, 1), value: 0, 'aria-label': 'Played' }),
    element('span', { class: 'voice-length' }, lengthOf(length)),
  );
}

/** A file whose bytes nobody kept can be seen and not downloaded. */
function renderDocument({ url, name, sizeBytes, kind }) {
  const title = name || (kind === 'voice' ? 'Voice message' : 'Photo');
  const ending = /\.(\w{1,4})$/.exec(title)?.[1]?.toLowerCase();
  const parts = [
    element('span', { class: 'file-icon', 'aria-hidden': 'true' }, ending ? element('span', {}, ending) : icon('file')),
    element(
      'span',
      { class: 'file-words' },
      element('span', { class: 'file-name', dir: 'auto' }, title),
      element('span', { class: 'file-size' }, url ? sizeOf(sizeBytes) : `${sizeOf(sizeBytes)}, not kept here`),
    ),
  ];
  if (!url) return element('div', { class: 'file' }, ...parts);
  return element(
    'a',
    { class: 'file', href: url, download: title, 'aria-label': `Download ${title}, ${sizeOf(sizeBytes)}` },
    ...parts,
    element('span', { class: 'file-get', 'aria-hidden': 'true' }, icon('download')),
  );
}
