export default {
  title: 'Conversations',
};
