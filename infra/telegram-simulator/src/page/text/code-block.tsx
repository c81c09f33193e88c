import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { copyText } from '../state/actions.ts';
import { usePage } from '../state/context.ts';
import { Icon } from '../theme/icons.tsx';

const COPIED_MS = 1_600;

interface CodeProps {
  readonly language: string | undefined;
  readonly children: ComponentChildren;
}

/** Code with its language and a button that copies it. */
export function CodeBlock({ language, children }: CodeProps): VNode {
  const page = usePage();
  const [isCopied, setCopied] = useState(false);
  const code = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    setCopied(await copyText(page, code.current?.textContent ?? ''));
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <div class="code" dir="ltr">
      <div class="code-head">
        <span>{language || 'code'}</span>
        <button type="button" class="code-copy" aria-label="Copy the code" onClick={() => void copy()}>
          <Icon name={isCopied ? 'check' : 'copy'} />
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </div>
      <pre>
        <code ref={code}>{children}</code>
      </pre>
    </div>
  );
}
