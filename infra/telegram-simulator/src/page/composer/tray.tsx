import { IconButton } from '@signalbox/page-kit/icon-button';
import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import { formatSize } from '../messages/amounts.ts';
import { usePage } from '../state/context.ts';
import { detectFileKind } from './file-kind.ts';

/** Files attached to the message being written. */
export function Tray({ onRemove }: { readonly onRemove: () => void }): VNode | null {
  const { writing } = usePage();
  const { files, problem, isSending } = writing;
  if (files.length === 0 && problem === '') return null;
  const remove = (file: File): void => {
    writing.removeFiles([file]);
    onRemove();
  };
  return (
    <section class="panel tray" aria-label="Files to send" aria-busy={isSending}>
      <ul>
        {files.map((file) => (
          <li>
            <Icon name={detectFileKind(file)} />
            <span class="clip">{file.name}</span>
            <span class="dim">{formatSize(file.size)}</span>
            <IconButton icon="close" label={`Remove ${file.name}`} onClick={() => remove(file)} />
          </li>
        ))}
      </ul>
      {problem !== '' && (
        <p class="tray-problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
