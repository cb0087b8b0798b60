import type { Translation } from '../catalogue';

export default {
  title: 'Konto',
} satisfies Translation['account'];
