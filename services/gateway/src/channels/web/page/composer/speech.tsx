import type { PageKey } from '@signalbox/messages/page-sentences';
import { IconButton } from '@signalbox/page-kit/icon-button';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../say.ts';
import type { Voice } from '../voice/voice.ts';

interface Speech {
  /** True when some of the text was spoken. */
  readonly isSpoken: boolean;
  readonly hint: PageKey | null;
  readonly forget: () => void;
}

/** Puts recognized speech into the field, where the person reads it before sending. */
export function useSpeech(voice: Voice, text: string, setText: (text: string) => void): Speech {
  const [isSpoken, setIsSpoken] = useState(false);
  useEffect(() => {
    voice.onWords = (words) => {
      setIsSpoken(true);
      setText(words);
    };
    return () => {
      voice.onWords = null;
    };
  }, [voice]);
  const isWaiting = isSpoken && text !== '';
  return { isSpoken: isWaiting, hint: findHint(voice, isWaiting), forget: () => setIsSpoken(false) };
}

function findHint({ isListening, heardNothing }: Voice, isWaiting: boolean): PageKey | null {
  if (isListening) return 'page.listening';
  if (isWaiting) return 'page.check-words';
  return heardNothing ? 'page.not-heard' : null;
}

/** Starts or stops listening. Hidden where the browser cannot listen. */
export function SpeakButton({ voice }: { readonly voice: Voice }): VNode | null {
  if (!voice.canListen) return null;
  const label = say(voice.isListening ? 'page.stop-listening' : 'page.speak');
  const press = (): void => {
    if (voice.isListening) return voice.endListening();
    voice.turn(true);
    voice.listen();
  };
  return (
    <IconButton icon="microphone" kind={voice.isListening ? 'live' : ''} label={label} title={label} onClick={press} />
  );
}
