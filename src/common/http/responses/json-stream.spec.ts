import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonListItems, streamJson } from './json-stream';

interface Progress {
  count: number;
  isReleased: boolean;
}

async function* texts(progress: Progress, count: number, failure?: Error): AsyncGenerator<string> {
  try {
    while (progress.count < count) {
      await sleep(0);
      progress.count += 1;
      yield 'x'.repeat(1_000);
    }
    if (failure) throw failure;
  } finally {
    progress.isReleased = true;
  }
}

describe('streamJson', () => {
  const progress: Progress = { count: 0, isReleased: false };
  const list = async function* (count: number, failure?: Error) {
    yield '[';
    yield* jsonListItems(texts(progress, count, failure), (item) => ({ item }));
    yield ']';
  };

  beforeEach(() => {
    Object.assign(progress, { count: 0, isReleased: false });
  });

  it('streams the whole JSON text', async () => {
    const { getStream } = await streamJson(list(100)).then((file) => ({
      getStream: () => file.getStream(),
    }));
    expect(JSON.parse(await text(getStream()))).toHaveLength(100);
    expect(progress.isReleased).toBe(true);
  });

  it('throws a failure of the first part', async () => {
    const failing = async function* (): AsyncGenerator<string> {
      await sleep(0);
      throw new Error('not found');
    };
    await expect(streamJson(failing())).rejects.toThrow('not found');
  });

  it('fails the stream when a later part fails', async () => {
    const file = await streamJson(list(100, new Error('database unavailable')));
    await expect(text(file.getStream())).rejects.toThrow('database unavailable');
  });

  it('reads no faster than the client, and closes the generator with the stream', async () => {
    const file = await streamJson(list(1_000_000));
    const stream = file.getStream();
    stream.once('readable', () => undefined);
    for (let before = -1; progress.count !== before;) {
      before = progress.count;
      await sleep(100);
    }
    expect(progress.count).toBeLessThan(1_000);
    stream.destroy();
    while (!progress.isReleased) await sleep(10);
  });

  it('fails the stream when the client is too slow', async () => {
    const file = await streamJson(list(1_000_000), 50);
    const failure = new Promise<Error>((resolve) => file.getStream().once('error', resolve));
    expect((await failure).message).toBe('The client reads the response too slowly');
  });
});
