import { useLocalStorage } from '@mantine/hooks';

/** Whether this browser shows what happens, while a page is open. */
export function useBrowserNotices() {
  return useLocalStorage({ key: 'browser-notices', defaultValue: false, getInitialValueInEffect: false });
}

/** Whether the browser lets pages show notifications; `unsupported` without HTTPS, and where only apps may. */
type NoticePermission = NotificationPermission | 'unsupported';

export const noticePermission = (): NoticePermission =>
  'Notification' in window && window.isSecureContext ? Notification.permission : 'unsupported';

/** Asks the person, unless they have decided. */
export async function askNoticePermission(): Promise<NoticePermission> {
  const permission = noticePermission();
  return permission === 'default' ? Notification.requestPermission() : permission;
}

/**
 * Shows a notification of the browser; one with the same tag, also of another tab, is replaced.
 * @returns false if this browser cannot, as Android's, which asks for a service worker.
 */
export function showBrowserNotice(
  title: string,
  options: NotificationOptions,
  onClick?: () => void,
): boolean {
  if (noticePermission() !== 'granted') return false;
  try {
    const notification = new Notification(title, options);
    notification.onclick = () => {
      window.focus();
      notification.close();
      onClick?.();
    };
    return true;
  } catch {
    return false;
  }
}
