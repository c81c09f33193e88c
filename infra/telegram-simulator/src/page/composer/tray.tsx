import type { VNode } from 'preact';
import { sizeOf } from '../messages/amounts.ts';
import { usePage } from '../state/context.ts';
import { Icon } from '../theme/icons.tsx';
import { IconButton } from '../theme/row.tsx';
import { kindOf } from './file-batches.ts';

/** The files that wait above the field. `onRemove` is called after one was removed. */
export function Tray({ onRemove }: { readonly onRemove: () => void }): VNode | null {
  const { writing } = usePage();
  const { files, asFiles, problem, isSending } = writing;
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
            <Icon name={kindOf(file, { asFiles })} />
            <span class="clip">{file.name}</span>
            <span class="dim">{sizeOf(file.size)}</span>
            <IconButton icon="close" label={`Remove ${file.name}`} onPress={() => remove(file)} />
          </li>
        ))}
      </ul>
      {files.some((file) => kindOf(file, { asFiles: false }) === 'photo') && (
        <label>
          <input
            type="checkbox"
            checked={asFiles}
            onChange={({ currentTarget }) => writing.sendAsFiles(currentTarget.checked)}
          />{' '}
          Send photos as files
        </label>
      )}
      {problem !== '' && (
        <p class="tray-problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
