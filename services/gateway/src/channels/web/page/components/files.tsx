import { PAGE_COMPONENTS, type ComponentProps, type PageFile } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { LOCALE, say } from '../say.ts';
import { Icon } from '@signalbox/page-kit/icons';
import { addKeyToUrl } from '../state/page-key.ts';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

const KIB = 1024;
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Files to download from the gateway. */
export function FileList({ files }: { readonly files: readonly PageFile[] }): VNode {
  return (
    <ul class="files" aria-label={say('page.files')}>
      {files.map(({ artifactId, name, sizeBytes }) => (
        <li key={artifactId}>
          <a
            class="file"
            href={addKeyToUrl(new URL(`files/${encodeURIComponent(artifactId)}`, location.href)).href}
            download={name}
          >
            <Icon name="document" />
            <span class="file-name" dir="auto">
              {name}
            </span>
            {sizeBytes !== null && <span class="note">{formatSize(sizeBytes)}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}

function formatSize(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(KIB)));
  const options = {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(LOCALE, options).format(bytes / KIB ** step);
}

function Files({ props: { files } }: ViewProps<ComponentProps<'Files'>>): VNode {
  return (
    <div class="card">
      <FileList files={files} />
    </div>
  );
}

export const drawFiles = createRenderer(PAGE_COMPONENTS.Files, Files);
