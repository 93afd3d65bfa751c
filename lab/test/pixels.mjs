// What colour a part of the screen has.

/** How many pixels of a region are of a colour of the style sheet, more or less. */
export async function pixelsOf(page, name, clip, slack = 28) {
  const png = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(
    async ([png, name, slack]) => {
      const probe = document.createElement("canvas").getContext("2d");
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      probe.fillRect(0, 0, 1, 1);
      const wanted = probe.getImageData(0, 0, 1, 1).data;
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const pen = Object.assign(document.createElement("canvas"), {
        width: image.width,
        height: image.height,
      }).getContext("2d");
      pen.drawImage(image, 0, 0);
      const { data } = pen.getImageData(0, 0, image.width, image.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        if ([0, 1, 2].every((k) => Math.abs(data[i + k] - wanted[k]) <= slack)) count++;
      }
      return count;
    },
    [png, name, slack],
  );
}

/** A square around a place. */
export const around = ([x, y], half = 8) => ({ x: x - half, y: y - half, width: 2 * half, height: 2 * half });
