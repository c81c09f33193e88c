import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FileView } from '../../files/file-shapes.ts';
import { usePage } from '../state/context.ts';
import { Icon } from '../theme/icons.tsx';
import { lengthOf, sizeOf } from './amounts.ts';

/** The file of a message, or those of an album: pictures side by side, the others as a list. */
export function Files({ files }: { readonly files: readonly FileView[] }): VNode {
  const isPhotos = files.every(({ kind }) => kind === 'photo');
  return (
    <div class={isPhotos ? `photos count-${Math.min(files.length, 4)}` : 'files'}>
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
  const [sound] = useState(() => new Audio());
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => () => sound.pause(), []);
  const play = async (): Promise<void> => {
    sound.src = url;
    sound.onpause = () => setPlaying(false);
    setPlaying(true);
    try {
      await sound.play();
    } catch {
      setPlaying(false);
      page.toast('This browser cannot play the recording; it can be downloaded.', 'error');
    }
  };
  return (
    <div class="file voice">
      <button
        class="file-icon"
        aria-label={isPlaying ? 'Stop the voice message' : 'Play the voice message'}
        onClick={() => (isPlaying ? sound.pause() : void play())}
      >
        <Icon name={isPlaying ? 'pause' : 'voice'} />
      </button>
      <span class="stack">Voice message</span>
      <span class="dim">{lengthOf(durationSeconds ?? 0)}</span>
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
        <span class="file-name">{title}</span>
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
