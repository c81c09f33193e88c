import { Icon } from '@signalbox/page-kit/icons';
import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { copyText } from '../state/actions.ts';
import { usePage } from '../state/context.ts';

/** A code block with its language and a copy button. */
export function CodeBlock({
  language,
  children,
}: {
  language: string | undefined;
  children: ComponentChildren;
}): VNode {
  const page = usePage();
  const code = useRef<HTMLElement>(null);
  const copy = (): Promise<void> => copyText(page, code.current?.textContent ?? '');
  return (
    <div class="code">
      <div class="code-head">
        <span>{language || 'code'}</span>
        <button class="code-copy" aria-label="Copy the code" onClick={() => void copy()}>
          <Icon name="copy" />
          Copy
        </button>
      </div>
      <pre>
        <code ref={code}>{children}</code>
      </pre>
    </div>
  );
}
