/** An album holds so many files of one kind. */
const MAX_ALBUM = 10;
/** What the simulator takes in one request. */
const MAX_BYTES = 50 * 1024 * 1024;
/** What a photo may have; a larger picture goes as a file. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const PHOTOS = new Set(['image/jpeg', 'image/png']);

/** How a client sends a file: pictures as photos unless they are wanted as files, recordings as voice messages. */
export function kindOf({ type, size }, { asFiles }) {
  if (PHOTOS.has(type) && size <= MAX_PHOTO_BYTES && !asFiles) return 'photo';
  return type === 'audio/ogg' ? 'voice' : 'document';
}

/** Splits files into messages: up to ten of one kind are an album, a voice message stands alone, the order stays. */
export function batchFiles(files, options) {
  const batches = [];
  for (const file of files) {
    const kind = kindOf(file, options);
    const last = batches.at(-1);
    const fits = last && last.kind === kind && kind !== 'voice' && last.files.length < MAX_ALBUM;
    if (fits && sizeOf(last.files) + file.size <= MAX_BYTES) last.files.push(file);
    else batches.push({ kind, files: [file] });
  }
  return batches;
}

/** A caption may have so many characters; a longer text is a message of its own. */
const MAX_CAPTION = 1_024;

/** The messages that a text and files become, in order: `{ text, kind, files }`, with no files for a plain text. */
export function planMessages(parts, batches) {
  const plain = (text) => ({ text, kind: null, files: [] });
  const [caption = '', ...others] = parts;
  if (batches.length === 0) return parts.map(plain);
  if (others.length > 0 || caption.length > MAX_CAPTION) {
    return [...batches.map((batch) => ({ text: '', ...batch })), ...parts.map(plain)];
  }
  return batches.map((batch, index) => ({ text: index === 0 ? caption : '', ...batch }));
}

/** Why a file cannot be sent, as a sentence; null if it can. */
export function findFileProblem({ name, size }) {
  if (size === 0) return `${name} is empty.`;
  if (size > MAX_BYTES) return `${name} is larger than 50 MB, the most that can be sent here.`;
  return null;
}

function sizeOf(files) {
  return files.reduce((sum, file) => sum + file.size, 0);
}
