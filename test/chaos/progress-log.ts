/** Prints lines with the seconds since the start. */
export class ProgressLog {
  private readonly start = performance.now();

  log(text: string): void {
    const seconds = ((performance.now() - this.start) / 1_000).toFixed(1).padStart(7);
    process.stdout.write(`${seconds}  ${text}\n`);
  }

  /** Prints text without the time. */
  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}
