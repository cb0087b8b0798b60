import { homeFrom } from '../../tools/local-stack/home';
import { withLock } from '../../tools/local-stack/lock-file';
import type { ChaosScreen } from './screen';

/** Does a run once no other one is under way on this machine: they would share a stack, and slow each other down. */
export function oneRunAtATime<T>(screen: ChaosScreen, run: () => Promise<T>): Promise<T> {
  const file = `${homeFrom(process.env).path}-run.lock`;
  const onWait = () => {
    screen.say(
      `Another run of the chaos, load or abuse test is under way here (${file}): waiting for its end`,
    );
  };
  return withLock(file, onWait, run);
}
