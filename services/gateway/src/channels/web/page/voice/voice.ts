import { LANGUAGE } from '../say.ts';
import { canListen, recognizeSpeech } from './recognizer.ts';

interface Options {
  readonly onChange: () => void;
  /** Called when voice mode was turned on or off. */
  readonly onMode: () => void;
}

/** Speaks and listens with the browser's own means. Recognized words only fill the message field; the person sends them. */
export class Voice {
  readonly canListen: boolean = canListen();
  readonly canSpeak: boolean = 'speechSynthesis' in window;
  /** True when answers are read aloud. */
  isOn = false;
  isListening = false;
  /** True when nothing was recognized the last time. */
  heardNothing = false;
  /** Takes the recognized words: the message field. */
  onWords: ((words: string) => void) | null = null;
  readonly #options: Options;
  #endListening: (() => void) | null = null;
  #audio: HTMLAudioElement | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  turn(isOn: boolean): void {
    if (this.isOn === isOn) return;
    this.isOn = isOn;
    if (!isOn) this.stop();
    this.#options.onMode();
    this.#options.onChange();
  }

  /** Listens, if the browser can and the person turned voice mode on. */
  listen(): void {
    if (!this.isOn || !this.canListen || this.isListening) return;
    this.#silence();
    this.isListening = true;
    this.heardNothing = false;
    this.#endListening = recognizeSpeech(LANGUAGE, {
      onWords: (words) => this.onWords?.(words),
      onEnd: (wasHeard) => {
        this.isListening = false;
        this.#endListening = null;
        this.heardNothing = !wasHeard;
        this.#options.onChange();
      },
    });
    this.#options.onChange();
  }

  endListening(): void {
    this.#endListening?.();
  }

  say(text: string, language: string | null): void {
    if (!this.isOn || !this.canSpeak) return;
    const speech = new SpeechSynthesisUtterance(text);
    speech.lang = language ?? LANGUAGE;
    speechSynthesis.speak(speech);
  }

  /** Plays speech that the gateway made. */
  play(mimeType: string, base64: string): void {
    if (!this.isOn || !/^audio\/[\w.+-]+$/.test(mimeType)) return;
    this.#silence();
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
    const audio = new Audio(url);
    audio.onended = audio.onerror = () => URL.revokeObjectURL(url);
    this.#audio = audio;
    // A browser may refuse to play before the person did something on the page.
    audio.play().catch(() => undefined);
  }

  stop(): void {
    this.endListening();
    this.#silence();
  }

  #silence(): void {
    if (this.canSpeak) speechSynthesis.cancel();
    this.#audio?.pause();
    this.#audio = null;
  }
}
