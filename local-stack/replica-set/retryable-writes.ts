import { type Document } from 'bson';

/** Drivers repeat a write once, soon. */
const MAX_REMEMBERED = 10_000;

/** The answers of writes by session and number, so that a repeated write is answered again instead of being done again. */
export class RetryableWrites {
  private readonly answers = new Map<string, Promise<Document>>();

  /** @param write its failure is remembered too: if the database was lost, the write may be done, and is not repeated. */
  run(session: string, number: string, write: () => Promise<Document>): Promise<Document> {
    const key = `${session} ${number}`;
    const known = this.answers.get(key);
    if (known) return known;
    const answer = write();
    this.answers.set(key, answer);
    const [oldest] = this.answers.keys();
    if (this.answers.size > MAX_REMEMBERED && oldest !== undefined) this.answers.delete(oldest);
    return answer;
  }
}
