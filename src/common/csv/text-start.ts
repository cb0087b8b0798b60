/** Enough to tell the delimiter of a CSV. */
const START_LENGTH = 32_768;

export interface StartedText {
  readonly start: string;
  /** Whether the start is the whole text. */
  readonly isWhole: boolean;
  /** The whole text, the start included; read it once. */
  readonly text: AsyncGenerator<string>;
}

/** Reads the start of a text that is decoded while it is read. */
export async function readStart(pieces: AsyncGenerator<string>): Promise<StartedText> {
  let start = '';
  let isWhole = false;
  while (start.length < START_LENGTH) {
    const piece = await pieces.next();
    if (piece.done) {
      isWhole = true;
      break;
    }
    start += piece.value;
  }
  return { start, isWhole, text: startAgain(start, pieces) };
}

async function* startAgain(start: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield start;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
