import { icon } from './element.js';
import { showToast } from './notice.js';
import { lengthOf } from './time.js';

const STEP_MS = 100;

/**
 * Plays one voice message at a time. The page may load no media, so the sound is fetched like any other data and
 * decoded here.
 */
export function createPlayer() {
  let context = null;
  let playing = null;

  return {
    /** Plays the recording of a play button, or stops it. */
    async toggle(button) {
      const wasPlaying = playing?.button === button;
      stop();
      if (wasPlaying) return;
      try {
        context ??= new AudioContext();
        const bytes = await (await fetch(button.dataset.value)).arrayBuffer();
        start(button, await context.decodeAudioData(bytes));
      } catch {
        showToast('This browser cannot play the recording; it can be downloaded.', 'error');
      }
    },
  };

  function start(button, sound) {
    stop();
    const source = new AudioBufferSourceNode(context, { buffer: sound });
    source.connect(context.destination);
    source.addEventListener('ended', () => playing?.source === source && stop());
    source.start();
    playing = { button, source, sound, from: context.currentTime, timer: null };
    button.replaceChildren(icon('pause'));
    step();
  }

  function step() {
    if (!playing) return;
    const seconds = context.currentTime - playing.from;
    show(playing.button, seconds, Math.max(playing.sound.duration - seconds, 0));
    playing.timer = setTimeout(step, STEP_MS);
  }

  function stop() {
    if (!playing) return;
    const { button, source, sound, timer } = playing;
    playing = null;
    clearTimeout(timer);
    source.stop();
    button.replaceChildren(icon('play'));
    show(button, 0, sound.duration);
  }
}

/** How long a recording is, in whole seconds; 0 if this browser cannot tell. */
export async function measureRecording(file) {
  try {
    const sound = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(await file.arrayBuffer());
    return Math.round(sound.duration);
  } catch {
    return 0;
  }
}

function show(button, seconds, left) {
  const view = button.closest('.voice');
  view.querySelector('progress').value = seconds;
  view.querySelector('.voice-length').textContent = lengthOf(left);
}
