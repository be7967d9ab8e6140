// Saves a deck of the web book as one file: its fonts, scripts and pictures are put inside.

async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response;
}
async function fetchAsData(address) {
  const reader = new FileReader();
  const read = new Promise(done => { reader.onload = () => done(reader.result); });
  reader.readAsDataURL(await (await fetched(address)).blob());
  return read;
}
const fetchAsText = async address => (await fetched(address)).text();

async function putInside(page) {
  page.querySelectorAll('.site').forEach(e => e.remove());
  for (const link of page.querySelectorAll('link[rel=stylesheet]')) {
    const style = page.createElement('style');
    style.textContent = await fetchAsText(link.getAttribute('href'));
    link.replaceWith(style);
  }
  for (const style of page.querySelectorAll('style'))
    for (const [, address] of style.textContent.matchAll(/url\((\.\.[^)]*)\)/g))
      style.textContent = style.textContent.replace(address, await fetchAsData(address));
  for (const script of page.querySelectorAll('script[src]')) {
    script.textContent = await fetchAsText(script.getAttribute('src'));
    page.body.append(script);  // a script inside a page runs at once, so it goes to the end
    script.removeAttribute('src');
  }
  for (const image of page.querySelectorAll('img')) {
    image.removeAttribute('loading');
    image.src = await fetchAsData(image.getAttribute('src'));
  }
  for (const script of page.querySelectorAll('.explorer script')) {
    const { folder, ...drawn } = JSON.parse(script.textContent);
    const frames = drawn.sentences.map((_, number) => fetchAsData(`${folder}${number}.webp`));
    drawn.frames = (await Promise.all(frames)).map(frame => frame.split(',')[1]);
    script.textContent = JSON.stringify(drawn).replaceAll('<', '\\u003c');
  }
}

async function save() {
  const page = new DOMParser().parseFromString(await fetchAsText(location.pathname), 'text/html');
  await putInside(page);
  const link = document.createElement('a');
  const file = ['<!DOCTYPE html>\n' + page.documentElement.outerHTML];
  link.href = URL.createObjectURL(new Blob(file, { type: 'text/html' }));
  link.download = location.pathname.split('/').pop();
  link.click();
}

document.querySelector('.save').addEventListener('click', async ({ target }) => {
  target.disabled = true;
  try {
    await save();
  } catch (error) {
    target.textContent = `not saved, press again (${error.message})`;
  }
  target.disabled = false;
});
