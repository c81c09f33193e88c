/** The used part of the Web Speech API's recognizer, which TypeScript's DOM types lack. */
interface SpeechRecognizer extends EventTarget {
  lang: string;
  interimResults: boolean;
  onresult: ((event: RecognitionEvent) => void) | null;
  onerror: ((event: Event & { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  abort(): void;
}

interface RecognitionEvent extends Event {
  readonly results: Iterable<Iterable<{ readonly transcript: string }>>;
}

type Constructor = new () => SpeechRecognizer;

declare global {
  interface Window {
    readonly SpeechRecognition?: Constructor;
    readonly webkitSpeechRecognition?: Constructor;
  }
}

export function canListen(): boolean {
  return recognizer() !== undefined;
}

/** Listens until the person pauses; the returned function stops it. `onWords` gets all words so far, `onEnd` whether there were any. */
export function recognizeSpeech(
  language: string,
  { onWords, onEnd }: { readonly onWords: (words: string) => void; readonly onEnd: (wasHeard: boolean) => void },
): () => void {
  const Recognizer = recognizer();
  if (!Recognizer) return () => undefined;
  const speech = new Recognizer();
  let words = '';
  speech.lang = language;
  speech.interimResults = true;
  speech.onresult = ({ results }) => {
    words = [...results].map(([best]) => best?.transcript ?? '').join('');
    onWords(words);
  };
  // `onend` always follows.
  speech.onerror = null;
  speech.onend = () => onEnd(words.trim() !== '');
  speech.start();
  return () => {
    speech.onend = null;
    speech.abort();
    onEnd(words.trim() !== '');
  };
}

function recognizer(): Constructor | undefined {
  return window.SpeechRecognition ?? window.webkitSpeechRecognition;
}
