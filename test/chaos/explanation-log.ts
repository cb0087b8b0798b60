import type { ExplanationEvidence } from './evidence';
import type { ServiceAccess } from './service-access';

const TIMEOUT_MS = 5_000;

/** Asks for the explanation of each message with an ended attempt, before retention removes it. */
export class ExplanationLog {
  /** By message, with the number of ended attempts when it was asked for. */
  private readonly read = new Map<string, ExplanationEvidence & { readonly attempts: number }>();
  private updating: Promise<void> | undefined;

  constructor(private readonly access: ServiceAccess) {}

  get explanations(): ExplanationEvidence[] {
    return [...this.read.values()];
  }

  /** Asks for those that are missing or have more attempts by now. Those that get no answer stay missing until the next call. */
  update(): Promise<void> {
    this.updating ??= this.readMissing().finally(() => {
      this.updating = undefined;
    });
    return this.updating;
  }

  private async readMissing(): Promise<void> {
    const { api, baseUrl, view } = this.access;
    for (const { id, attempts } of view.attempted()) {
      if (attempts.length <= (this.read.get(id)?.attempts ?? 0)) continue;
      try {
        const { steps } = await api.data<{ steps: { code: string }[] }>(baseUrl, {
          method: 'GET',
          path: `gateway/messages/${id}/explanation`,
          timeoutMs: TIMEOUT_MS,
        });
        const codes = steps.map(({ code }) => code);
        this.read.set(id, { smsId: id, steps: codes, attempts: attempts.length });
      } catch {
        // The service is down.
      }
    }
  }
}
