import type { Translation } from '../catalogue';

export default {
  title: 'Kampagnen',
} satisfies Translation['campaigns'];
