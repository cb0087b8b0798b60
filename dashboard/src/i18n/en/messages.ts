export default {
  title: 'Messages',
};
