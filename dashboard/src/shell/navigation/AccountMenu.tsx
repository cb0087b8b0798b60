import { lazy, Suspense, useState } from 'react';
import { AccountMenuButton } from './AccountMenuButton';

const AccountMenuDropdown = lazy(() => import('./AccountMenuDropdown'));

/** Preferences of this browser, and signing out. The menu loads when it opens for the first time. */
export function AccountMenu() {
  const [isUsed, setUsed] = useState(false);
  const button = (
    <AccountMenuButton aria-haspopup="menu" aria-expanded={false} onClick={() => setUsed(true)} />
  );
  return isUsed ? (
    <Suspense fallback={button}>
      <AccountMenuDropdown />
    </Suspense>
  ) : (
    button
  );
}
