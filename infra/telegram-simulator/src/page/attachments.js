import { byId, element, icon } from './element.js';
import { batchFiles, findFileProblem, kindOf } from './file-batches.js';
import { sizeOf } from './file-view.js';

/** The files that wait above the field: chosen, dropped or pasted. `onChange` hears each change. */
export function createAttachments({ onChange }) {
  const input = byId('file-input');
  const asFiles = byId('as-files');
  const drop = byId('drop');
  const chat = byId('chat');
  let files = [];

  byId('attach').addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    add(input.files);
    input.value = '';
  });
  asFiles.addEventListener('change', draw);
  byId('text').addEventListener('paste', (event) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  });
  chat.addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    drop.hidden = false;
  });
  chat.addEventListener('dragleave', (event) => {
    if (!chat.contains(event.relatedTarget)) drop.hidden = true;
  });
  chat.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.hidden = true;
    add(event.dataTransfer.files);
  });

  return {
    count: () => files.length,
    /** The files as the messages that they become: `[{ kind, files }]`. */
    batches: () => batchFiles(files, { asFiles: asFiles.checked }),
    /** Forgets all files, or those that were sent. */
    remove(sent = files) {
      files = files.filter((file) => !sent.includes(file));
      draw();
    },
    /** Shows or hides that they are on their way. */
    setSending(isSending) {
      byId('tray').ariaBusy = String(isSending);
    },
    /** Says why a file was not taken. */
    report,
  };

  function add(list) {
    const given = [...list];
    files = [...files, ...given.filter((file) => findFileProblem(file) === null)];
    draw();
    report(given.map(findFileProblem).filter(Boolean).join(' '));
    byId('text').focus();
  }

  function cancelOne(file) {
    files = files.filter((one) => one !== file);
    draw();
    byId('text').focus();
  }

  function report(problem) {
    byId('tray-problem').hidden = problem === '';
    byId('tray-problem').textContent = problem;
    byId('tray').hidden = files.length === 0 && problem === '';
  }

  function draw() {
    byId('tray-as-files').hidden = !files.some((file) => kindOf(file, { asFiles: false }) === 'photo');
    byId('tray-files').replaceChildren(...files.map(renderWaiting));
    report('');
    onChange();
  }

  function renderWaiting(file) {
    const kind = kindOf(file, { asFiles: asFiles.checked });
    const cancel = { class: 'icon-button', type: 'button', 'aria-label': `Remove ${file.name}` };
    return element(
      'li',
      { class: 'tray-file' },
      icon({ photo: 'photo', voice: 'play', document: 'file' }[kind]),
      element('span', { class: 'tray-name', dir: 'auto' }, file.name),
      element('span', { class: 'tray-size' }, sizeOf(file.size)),
      element('button', { ...cancel, on: { click: () => cancelOne(file) } }, icon('close')),
    );
  }
}
