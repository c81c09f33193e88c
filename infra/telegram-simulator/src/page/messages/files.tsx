import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import type { FileView } from '../../store/file-shapes.ts';
import { formatDuration, formatSize } from './amounts.ts';

/** The files of a message or album: photos side by side, others as a list. */
export function Files({ files }: { readonly files: readonly FileView[] }): VNode {
  const isPhotos = files.every(({ kind }) => kind === 'photo');
  return (
    <div class={isPhotos ? `photos count-${Math.min(files.length, 4)}` : 'files'}>
      {files.map((file) =>
        file.url === null || file.kind !== 'photo' ? (
          <Download key={file.fileId} file={file} />
        ) : (
          <Photo key={file.fileId} file={file} url={fromHere(file.url)} />
        ),
      )}
    </div>
  );
}

function Photo({ file: { name, width, height }, url }: { readonly file: FileView; readonly url: string }): VNode {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" aria-label="Show the photo">
      {/* The size reserves the room, so that nothing moves when the picture arrives. */}
      <img src={url} width={width ?? undefined} height={height ?? undefined} alt={name || 'Photo'} loading="lazy" />
    </a>
  );
}

/** A file without stored bytes is displayed, but cannot be downloaded. */
function Download({ file: { url, name, sizeBytes, durationSeconds, kind } }: { readonly file: FileView }): VNode {
  const title = kind === 'voice' ? `Voice message, ${formatDuration(durationSeconds ?? 0)}` : name || 'Photo';
  const ending = /\.(\w{1,4})$/.exec(title)?.[1]?.toLowerCase();
  const parts = (
    <>
      <span class="file-icon" aria-hidden="true">
        {ending ?? <Icon name="document" />}
      </span>
      <span class="stack">
        <span class="file-name">{title}</span>
        <span class="dim">{url === null ? `${formatSize(sizeBytes)}, not kept here` : formatSize(sizeBytes)}</span>
      </span>
    </>
  );
  if (url === null) return <div class="file">{parts}</div>;
  return (
    <a class="file" href={fromHere(url)} download={title} aria-label={`Download ${title}, ${formatSize(sizeBytes)}`}>
      {parts}
      <Icon name="download" />
    </a>
  );
}

/** Makes a simulator URL relative to the page, which may be behind a key. */
function fromHere(url: string): string {
  return url.replace(/^\//, '');
}
