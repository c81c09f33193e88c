const PHOTOS = new Set(['image/jpeg', 'image/png']);

/** How a client sends a file: pictures as photos, recordings as voice messages. */
export function kindOf({ type }: Pick<File, 'type'>): 'photo' | 'voice' | 'document' {
  if (PHOTOS.has(type)) return 'photo';
  return type === 'audio/ogg' ? 'voice' : 'document';
}
