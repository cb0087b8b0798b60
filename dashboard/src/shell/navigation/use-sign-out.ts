import { useMutation } from '@tanstack/react-query';
import { signOutMutation } from '../../../generated/@tanstack/react-query.gen';
import { leaveForSignIn } from '../../api/leave-for-sign-in';
import { dropAllDrafts } from '../../drafts/drafts';

/** Ends the session of this browser. */
export function useSignOut(): () => void {
  const { mutate } = useMutation({
    ...signOutMutation(),
    onSuccess: () => {
      leaveForSignIn();
      // After the page has kept what it shows.
      addEventListener('pagehide', dropAllDrafts, { once: true });
    },
  });
  return () => mutate({});
}
