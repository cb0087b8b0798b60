import { homeFrom } from 'messaging-gateway-local-stack/home';
import { withLock } from 'messaging-gateway-local-stack/lock-file';
import type { ProgressLog } from './progress-log';

/** Waits for other runs on this machine: they would share a stack and slow each other down. */
export function withRunLock<T>(progress: ProgressLog, run: () => Promise<T>): Promise<T> {
  const file = `${homeFrom(process.env).path}-run.lock`;
  const onWait = () => {
    progress.log(
      `Another run of the chaos, load or abuse test is under way here (${file}): waiting for its end`,
    );
  };
  return withLock(file, onWait, run);
}
