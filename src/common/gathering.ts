import { AsyncResource } from 'node:async_hooks';

/** A round that takes longer than this holds the next one up no more. */
const HOLD_UP_MS = 200;

type Eventually<Answer> = Answer | Promise<Answer>;

interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Eventually<Answer>) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Does in one round what is asked for while the round before it is under way: with 16 requests at once, one read or write
 * of the database instead of 16, and with a single one no delay. Nothing is remembered: an answer comes from a round
 * that began after it was asked for, so a read sees all that was written before.
 */
export class Gathering<Ask, Answer> {
  private waiting: Waiting<Ask, Answer>[] = [];
  private isBusy = false;
  // A round is nobody's in particular: what is logged in it carries no one's request id.
  private readonly nobody = new AsyncResource('Gathering');

  /**
   * @param round answers what it is asked, in the same order, or promises to: it lasts until all promises are settled. One
   * that is broken fails that ask alone; when the round itself throws, all of its asks fail.
   * @param most asks of one round.
   */
  constructor(
    private readonly round: (asks: readonly Ask[]) => Eventually<readonly Eventually<Answer>[]>,
    private readonly most = 100,
  ) {}

  /** @throws what the round says of this ask. */
  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ask, resolve, reject });
      if (this.isBusy) return;
      this.nobody.runInAsyncScope(() => {
        this.begin();
      });
    });
  }

  private begin(): void {
    this.isBusy = true;
    // Once all that has arrived by now is read, so that requests that came together go together.
    setImmediate(() => {
      const asks = this.waiting.splice(0, this.most);
      let isNext = false;
      const next = () => {
        if (isNext) return;
        isNext = true;
        if (this.waiting.length > 0) this.begin();
        else this.isBusy = false;
      };
      const holdUp = setTimeout(next, HOLD_UP_MS);
      void this.answer(asks).finally(() => {
        clearTimeout(holdUp);
        next();
      });
    });
  }

  private async answer(asks: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await this.round(asks.map(({ ask }) => ask));
      for (const [index, { resolve }] of asks.entries()) resolve(answers[index] as Eventually<Answer>);
      await Promise.allSettled(answers);
    } catch (failure) {
      for (const { reject } of asks) reject(failure);
    }
  }
}

/** The work, done on behalf of whoever asks for it here; as `AsyncResource.bind` does, but sixty times as fast. */
function onBehalf<Done>(work: () => Done): () => Done {
  const asker = new AsyncResource('Asker');
  return () => asker.runInAsyncScope(work);
}

/**
 * Work of several steps, done in step with that of others who ask at the same time, so that gathered reads and writes
 * in it are one for all of them.
 */
export class InStep<Ask, Answer> {
  private readonly gathering = new Gathering((asks: readonly (() => Promise<Answer>)[]) =>
    asks.map((work) => work()),
  );

  constructor(private readonly work: (ask: Ask) => Promise<Answer>) {}

  /** @throws what the work throws for this ask. */
  ask(ask: Ask): Promise<Answer> {
    return this.gathering.ask(onBehalf(() => this.work(ask)));
  }
}

/**
 * Finds by key, gathered: each key is read once a round, however many ask for it. What is found is shared between them
 * and not to be changed.
 * @param idOf what tells two keys apart.
 * @param read what there is of these keys, by the same id.
 */
export function gatheredReads<Key, Found>(
  idOf: (key: Key) => string,
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Found>>,
): Gathering<Key, Found | null> {
  return new Gathering<Key, Found | null>(async (keys) => {
    const found = await read([...new Map(keys.map((key) => [idOf(key), key])).values()]);
    return keys.map((key) => found.get(idOf(key)) ?? null);
  });
}

/**
 * Work that is the same is done once: whoever asks for what others ask for at the same time shares what comes of it,
 * which is not to be changed. Different work does not wait for one another.
 */
export class SharedWork<Done> {
  private readonly places = new Map<
    string,
    { gathering: Gathering<() => Promise<Done>, Done>; asked: number }
  >();

  /**
   * @param id what tells two works apart.
   * @param work is begun after it was asked for, by this asker or by another with the same id.
   * @throws what the work throws.
   */
  async ask(id: string, work: () => Promise<Done>): Promise<Done> {
    const place = this.places.get(id) ?? { gathering: doneByTheFirst<Done>(), asked: 0 };
    this.places.set(id, place);
    place.asked += 1;
    try {
      return await place.gathering.ask(onBehalf(work));
    } finally {
      place.asked -= 1;
      if (place.asked === 0) this.places.delete(id);
    }
  }
}

function doneByTheFirst<Done>() {
  return new Gathering<() => Promise<Done>, Done>((works) => {
    const [first] = works;
    if (!first) return [];
    const done = first();
    return works.map(() => done);
  }, Infinity);
}
