import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { describe, expect, it } from 'vitest';
import { recognizeProgram } from '../../git/recognition.ts';
import { findImageProblem } from './plan.ts';

const ON_ENGINE = { server: 'box-1', driver: 'docker' } as const;
const root = (names: readonly string[], packageJson: string | null = null) => {
  const file = recognizeProgram({ names: new Set(names), packageJson, procfile: null })?.file;
  if (!file) throw new Error('not recognized');
  return { file, isRecognized: true, hasDockerfile: false };
};

describe('a project for a server that runs container images', () => {
  it.each([
    ['pages', ['index.html']],
    ['pages in a folder', ['public/index.html']],
    ['a program of Python', ['main.py']],
    ['what is installed into a folder of its own', ['app.py', 'requirements.txt']],
    ['Django', ['manage.py']],
  ])('is refused when it needs Python: %s', (_, names) => {
    expect(findImageProblem(root(names), ON_ENGINE)).toMatch(/box-1 run in images without Python.*Add a Dockerfile/);
    expect(findImageProblem(root(names), { server: 'local', driver: 'process' })).toBeNull();
  });

  it('is accepted when it is a Node project, has a Dockerfile, or declares its commands', () => {
    const node = root(['package.json'], '{"scripts":{"start":"node server.js"}}');
    expect(findImageProblem(node, ON_ENGINE)).toBeNull();
    expect(findImageProblem({ ...root(['main.py']), hasDockerfile: true }, ON_ENGINE)).toBeNull();
    const written = { file: ServiceFile.parse({ start: ['python3', 'main.py'] }), isRecognized: false };
    expect(findImageProblem({ ...written, hasDockerfile: false }, ON_ENGINE)).toBeNull();
  });
});
