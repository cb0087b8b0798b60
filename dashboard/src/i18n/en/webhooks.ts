export default {
  title: 'Webhooks',
};
