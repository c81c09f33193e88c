export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size of a PNG, GIF or JPEG from its header; null for other formats. */
export function readImageSize(bytes: Buffer): ImageSize | null {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8') {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? readJpegSize(bytes) : null;
}

/** Walks the JPEG segments (FF, kind, length) to the frame header (C0 … CF), which has the size. */
function readJpegSize(bytes: Buffer): ImageSize | null {
  let position = 2;
  while (position + 9 <= bytes.length) {
    if (bytes[position] !== 0xff) return null;
    const kind = bytes[position + 1] ?? 0;
    const isFrame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (isFrame) return { height: bytes.readUInt16BE(position + 5), width: bytes.readUInt16BE(position + 7) };
    position += 2 + bytes.readUInt16BE(position + 2);
  }
  return null;
}
