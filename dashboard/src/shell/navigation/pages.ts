import {
  IconAddressBook,
  IconBan,
  IconBuildingBroadcastTower,
  IconDeviceMobile,
  IconKey,
  IconLayoutDashboard,
  IconMessage2,
  IconMessages,
  IconSend,
  IconServer,
  IconSpeakerphone,
  IconUserCircle,
  IconWebhook,
} from '@tabler/icons-react';

/** The pages of the navigation, in order; a group ends with a line. */
const PAGE_GROUPS = [
  [{ to: '/', name: 'overview', icon: IconLayoutDashboard }],
  [
    { to: '/messages', name: 'messages', icon: IconMessage2 },
    { to: '/conversations', name: 'conversations', icon: IconMessages },
    { to: '/contacts', name: 'contacts', icon: IconAddressBook },
    { to: '/send', name: 'send', icon: IconSend },
    { to: '/campaigns', name: 'campaigns', icon: IconSpeakerphone },
    { to: '/opt-outs', name: 'optOuts', icon: IconBan },
  ],
  [
    { to: '/phones', name: 'phones', icon: IconDeviceMobile },
    { to: '/pools', name: 'pools', icon: IconBuildingBroadcastTower },
  ],
  [
    { to: '/webhooks', name: 'webhooks', icon: IconWebhook },
    { to: '/api-keys', name: 'apiKeys', icon: IconKey },
  ],
  [
    { to: '/account', name: 'account', icon: IconUserCircle },
    { to: '/operations', name: 'operations', icon: IconServer, forOperators: true },
  ],
] as const;

/** The pages that a person may open. */
export const pageGroupsFor = ({ operator }: { readonly operator?: boolean }) =>
  PAGE_GROUPS.map((pages) => pages.filter((page) => !('forOperators' in page) || operator === true));
