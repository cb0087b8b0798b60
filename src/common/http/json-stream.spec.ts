import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonItems, streamedJson } from './json-stream';

interface Made {
  count: number;
  isReleased: boolean;
}

/** So many texts of a kilobyte, and then perhaps a failure. */
async function* texts(made: Made, count: number, failure?: Error): AsyncGenerator<string> {
  try {
    while (made.count < count) {
      await sleep(0);
      made.count += 1;
      yield 'x'.repeat(1_000);
    }
    if (failure) throw failure;
  } finally {
    made.isReleased = true;
  }
}

describe('a streamed answer', () => {
  const made: Made = { count: 0, isReleased: false };
  const list = async function* (count: number, failure?: Error) {
    yield '[';
    yield* jsonItems(texts(made, count, failure), (item) => ({ item }));
    yield ']';
  };

  beforeEach(() => {
    Object.assign(made, { count: 0, isReleased: false });
  });

  it('is the JSON text, whole', async () => {
    const { getStream } = await streamedJson(list(100)).then((file) => ({
      getStream: () => file.getStream(),
    }));
    expect(JSON.parse(await text(getStream()))).toHaveLength(100);
    expect(made.isReleased).toBe(true);
  });

  it('is an ordinary failure when it fails at its beginning', async () => {
    const failing = async function* (): AsyncGenerator<string> {
      await sleep(0);
      throw new Error('not found');
    };
    await expect(streamedJson(failing())).rejects.toThrow('not found');
  });

  it('fails in the middle when making it fails', async () => {
    const file = await streamedJson(list(100, new Error('the database is gone')));
    await expect(text(file.getStream())).rejects.toThrow('the database is gone');
  });

  it('is made no faster than it is read, and given up with its reader', async () => {
    const file = await streamedJson(list(1_000_000));
    const stream = file.getStream();
    stream.once('readable', () => undefined);
    for (let before = -1; made.count !== before;) {
      before = made.count;
      await sleep(100);
    }
    expect(made.count).toBeLessThan(1_000);
    stream.destroy();
    while (!made.isReleased) await sleep(10);
  });

  it('ends with a failure when its reader is too slow', async () => {
    const file = await streamedJson(list(1_000_000), 50);
    const failure = new Promise<Error>((resolve) => file.getStream().once('error', resolve));
    expect((await failure).message).toBe('The reader of the answer was too slow');
  });
});
