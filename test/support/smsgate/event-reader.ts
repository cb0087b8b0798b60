export interface StreamEvent {
  /** Undefined if the event has none. */
  readonly name?: string;
  readonly data: string;
}

/** Reads Server-Sent Events. Those without a `data:` line are dropped. */
export class EventReader {
  private rest = '';
  private name?: string;
  private data: string[] = [];

  constructor(
    private readonly onEvent: (event: StreamEvent) => void,
    private readonly onComment: (text: string) => void = () => undefined,
  ) {}

  read(chunk: string): void {
    const lines = (this.rest + chunk).split(/\r\n|\n|\r/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.readLine(line);
  }

  private readLine(line: string): void {
    if (line === '') {
      const event = { name: this.name, data: this.data.join('\n') };
      const hasData = this.data.length > 0;
      this.name = undefined;
      this.data = [];
      if (hasData) this.onEvent(event);
      return;
    }
    if (line.startsWith(':')) {
      this.onComment(line.slice(1));
      return;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'event') this.name = value;
    else if (field === 'data') this.data.push(value);
  }
}
