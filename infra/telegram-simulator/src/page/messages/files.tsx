import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FileView } from '../../files/file-shapes.ts';
import { usePage } from '../state/context.ts';
import { Icon } from '../theme/icons.tsx';
import { lengthOf, sizeOf } from './amounts.ts';

/** The file of a message, or those of an album: pictures side by side, the others as a list. */
export function Files({ files }: { readonly files: readonly FileView[] }): VNode {
  const isPhotos = files.every(({ kind }) => kind === 'photo');
  return (
    <div class={isPhotos ? `photos count-${Math.min(files.length, 4)}` : 'files'} dir="ltr">
      {files.map((file) => {
        if (file.url === null || file.kind === 'document') return <Document key={file.fileId} file={file} />;
        const Shown = file.kind === 'photo' ? Photo : Voice;
        return <Shown key={file.fileId} file={file} url={file.url} />;
      })}
    </div>
  );
}

interface FileProps {
  readonly file: FileView;
  readonly url: string;
}

function Photo({ file: { name, width, height }, url }: FileProps): VNode {
  const page = usePage();
  return (
    <button
      type="button"
      class="photo"
      aria-label="Show the photo"
      onClick={() => page.change({ photo: { url, name: name || 'Photo' } })}
    >
      {/* The size reserves the room, so that nothing moves when the picture arrives. */}
      <img src={url} width={width ?? undefined} height={height ?? undefined} alt={name || 'Photo'} loading="lazy" />
    </button>
  );
}

function Voice({ file: { durationSeconds }, url }: FileProps): VNode {
  const page = usePage();
  const length = durationSeconds ?? 0;
  const [at, setAt] = useState<number | null>(null);
  const sound = useRef<HTMLAudioElement | null>(null);
  useEffect(() => () => sound.current?.pause(), []);
  const toggle = async (): Promise<void> => {
    sound.current?.pause();
    if (at !== null) return setAt(null);
    const audio = new Audio(url);
    sound.current = audio;
    audio.addEventListener('timeupdate', () => !audio.paused && setAt(audio.currentTime));
    audio.addEventListener('ended', () => setAt(null));
    try {
      await audio.play();
      return setAt(0);
    } catch {
      return page.toast('This browser cannot play the recording; it can be downloaded.', 'error');
    }
  };
  return (
    <div class="file voice">
      <button type="button" class="file-icon" aria-label="Play the voice message" onClick={() => void toggle()}>
        <Icon name={at === null ? 'voice' : 'pause'} />
      </button>
      <progress max={Math.max(length, 1)} value={at ?? 0} aria-label="Played" />
      <span class="dim">{lengthOf(Math.max(length - (at ?? 0), 0))}</span>
    </div>
  );
}

/** A file whose bytes nobody kept can be seen and not downloaded. */
function Document({ file: { url, name, sizeBytes, kind } }: { readonly file: FileView }): VNode {
  const title = name || (kind === 'voice' ? 'Voice message' : 'Photo');
  const ending = /\.(\w{1,4})$/.exec(title)?.[1]?.toLowerCase();
  const parts = (
    <>
      <span class="file-icon" aria-hidden="true">
        {ending ?? <Icon name="document" />}
      </span>
      <span class="stack">
        <span class="file-name" dir="auto">
          {title}
        </span>
        <span class="dim">{url === null ? `${sizeOf(sizeBytes)}, not kept here` : sizeOf(sizeBytes)}</span>
      </span>
    </>
  );
  if (url === null) return <div class="file">{parts}</div>;
  return (
    <a class="file" href={url} download={title} aria-label={`Download ${title}, ${sizeOf(sizeBytes)}`}>
      {parts}
      <Icon name="download" />
    </a>
  );
}
