import type { OpenAPIObject } from '@nestjs/swagger';
import type { Locator, Page, Response } from 'playwright-core';
import { documentOf } from './document-part';

/** An operation as the page shows it. */
export interface ShownOperation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
}

/** What the reader fills in by hand. */
export interface FilledIn {
  readonly path: Readonly<Record<string, string>>;
  /** Texts in the example of the body, and what takes their place. */
  readonly body: Readonly<Record<string, string>>;
}

/** What the reader sees of an answer. */
export interface ShownAnswer {
  /** What the browser received. */
  readonly status: number;
  /** What the page shows; nothing while an answer has not ended. */
  readonly shown: string | undefined;
  readonly body: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const idOf = ({ tag, id }: ShownOperation): string => `operations-${tag}-${id}`;

/**
 * Swagger UI, used as a reader uses it: by its buttons. It resolves the whole document each time an operation is opened, for
 * half a second of CPU, so each operation is shown alone, with the components it refers to.
 */
export class SwaggerPage {
  private constructor(
    private readonly page: Page,
    private readonly document: OpenAPIObject,
  ) {}

  /** @param document what the page shows, as the service serves it. */
  static async of(page: Page, document: OpenAPIObject): Promise<SwaggerPage> {
    await page.locator('.opblock').first().waitFor();
    return new SwaggerPage(page, document);
  }

  /** Operations the page shows, and what it says is wrong with the document. */
  async shown(): Promise<{ operations: number; errors: number }> {
    return {
      operations: await this.page.locator('.opblock-summary-control').count(),
      errors: await this.page.locator('.errors-wrapper').count(),
    };
  }

  /** Presses Authorize and enters a credential for one scheme; the others are logged out. */
  async authorize(scheme: string, credential: string): Promise<void> {
    await this.page.click('.auth-wrapper .authorize');
    const dialog = this.page.locator('.dialog-ux');
    const logOut = dialog.locator('button:text-is("Logout")');
    while ((await logOut.count()) > 0) await logOut.first().click();
    const form = dialog.locator('.auth-container', { hasText: scheme });
    await form.locator('input').fill(credential);
    await form.locator('button[type=submit]').click();
    await dialog.locator('button.btn-done').first().click();
  }

  /** Opens the operation, presses Try it out, fills in what has to be, and presses Execute. */
  async execute(operation: ShownOperation, { path, body }: FilledIn): Promise<ShownAnswer> {
    await this.show(operation);
    const block = this.page.locator(`[id="${idOf(operation)}"]`);
    // Clicks by position wait until the page has stopped moving.
    await block.locator('.opblock-summary-control').dispatchEvent('click');
    await block.locator('.try-out__btn').dispatchEvent('click');
    for (const [name, value] of Object.entries(path))
      await block.locator(`tr[data-param-in=path][data-param-name=${name}] input`).fill(value);
    await this.fillBody(block, body);
    const answered = this.answerOf(operation);
    await block.locator('button.execute').click();
    return this.read(block, await answered);
  }

  private async show(operation: ShownOperation): Promise<void> {
    await this.page.evaluate(
      (text) => {
        // The page's own script keeps Swagger UI here.
        const { ui } = globalThis as unknown as { ui: { specActions: { updateSpec(text: string): void } } };
        ui.specActions.updateSpec(text);
      },
      JSON.stringify(documentOf(operation, this.document)),
    );
    await this.page.waitForFunction(
      `document.querySelectorAll('.opblock').length === 1 && document.getElementById('${idOf(operation)}') !== null`,
    );
  }

  private async fillBody(block: Locator, replacements: FilledIn['body']): Promise<void> {
    if (Object.keys(replacements).length === 0) return;
    const text = block.locator('textarea.body-param__text');
    let body = await text.inputValue();
    for (const [example, value] of Object.entries(replacements)) {
      if (!body.includes(example)) throw new Error(`The example has no ${example}: ${body}`);
      body = body.replace(example, value);
    }
    await text.fill(body);
  }

  private answerOf({ method, path }: ShownOperation): Promise<Response> {
    const route = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    return this.page.waitForResponse(
      (response) =>
        response.request().method().toLowerCase() === method && route.test(new URL(response.url()).pathname),
    );
  }

  /** A stream of events does not end: the page shows nothing of it before it is cancelled. */
  private async read(block: Locator, answer: Response): Promise<ShownAnswer> {
    const status = answer.status();
    if (answer.headers()['content-type']?.startsWith('text/event-stream'))
      return { status, shown: undefined, body: undefined };
    const shown = await block.locator('.live-responses-table .response-col_status').last().innerText();
    const body: unknown = await answer.json().catch(() => undefined);
    return { status, shown: /^\d+/.exec(shown)?.[0], body };
  }
}

/** The text at a path of names in an answer. @throws Error where there is none. */
export function textAt(body: unknown, ...names: (string | number)[]): string {
  const found = names.reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), body);
  if (typeof found !== 'string') throw new Error(`No ${names.join('.')} in ${JSON.stringify(body)}`);
  return found;
}
