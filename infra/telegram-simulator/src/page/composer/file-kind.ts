const PHOTOS = new Set(['image/jpeg', 'image/png']);

/** Returns how clients send a file: images as photos, recordings as voice messages. */
export function detectFileKind({ type }: Pick<File, 'type'>): 'photo' | 'voice' | 'document' {
  if (PHOTOS.has(type)) return 'photo';
  return type === 'audio/ogg' ? 'voice' : 'document';
}
