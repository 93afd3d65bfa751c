"""Results of the drop-in for Open3D: NumPy arrays with the methods of Open3D's tensors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Array(np.ndarray[Any, Any]):
    """NumPy array with the methods of `open3d.core.Tensor` that programs call on results.

    It is a NumPy array in every respect: masks, arithmetic and functions of NumPy work. In addition it has

    - `numpy`, `cpu`, `clone`, `contiguous`, `to` and `to_dlpack`, which give the data on;
    - `abs`, `isfinite`, `isinf`, `isnan`, `floor`, `ceil`, `trunc`, `neg`;
    - `add`, `sub`, `mul`, `div`, `matmul`, `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `logical_and`, `logical_or`, `logical_xor`,
      `logical_not`, `isclose` and `allclose`;
    - `sum`, `prod`, `mean`, `min`, `max`, `argmin`, `argmax`, `all` and `any` with the arguments of NumPy, and with `dim` and
      `keepdim`. Of all elements they give an array without axes, which has `item`.

    `T` is the property of NumPy, and `nonzero` returns a tuple as in NumPy.

    Examples
    --------
    >>> import numpy as np, hitscan.open3d
    >>> rays = np.zeros((2, 6), np.float32)
    >>> hitscan.open3d.RaycastingScene().count_intersections(rays).numpy()
    array([0, 0], dtype=int32)
    >>> t_hit = hitscan.open3d.RaycastingScene().cast_rays(rays)["t_hit"]
    >>> t_hit.isfinite().any().item(), t_hit.to(np.float64).clone().dtype
    (False, dtype('float64'))
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        # NumPy would take a tensor of Open3D for a sequence of objects.
        out = kwargs.get("out", ())
        if out:
            kwargs["out"] = tuple(map(_operand, out))
        if "where" in kwargs:
            kwargs["where"] = _operand(kwargs["where"])
        result = getattr(ufunc, method)(*map(_operand, inputs), **kwargs)
        if out:
            return out[0] if len(out) == 1 else out
        if isinstance(result, tuple):
            return tuple(map(_result, result))
        return _result(result)

    def numpy(self) -> NDArray[Any]:
        """The same data as a plain NumPy array.

        Returns
        -------
        numpy.ndarray
            View of the data, not a copy.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> type(hitscan.open3d.RaycastingScene().cast_rays(np.zeros((1, 6)))["t_hit"].numpy())
        <class 'numpy.ndarray'>
        """
        return self.view(np.ndarray)

    def cpu(self) -> Array:
        """The array itself, which is in main memory."""
        return self

    def clone(self) -> Array:
        """A copy."""
        return self.copy()

    def contiguous(self) -> Array:
        """The array itself if its elements lie one behind the other, else such a copy."""
        return self if self.flags.c_contiguous else self.copy()

    def is_contiguous(self) -> bool:
        """Whether the elements lie one behind the other."""
        return self.flags.c_contiguous

    @property
    def is_cpu(self) -> bool:
        """Whether the data are in main memory, as always."""
        return True

    @property
    def is_cuda(self) -> bool:
        """Whether the data are on a GPU: never."""
        return False

    def num_elements(self) -> int:
        """Number of elements."""
        return self.size

    def to(self, *args: Any, copy: bool = False, **kwargs: Any) -> Array:
        """The array with another type of numbers, or on another device.

        Parameters
        ----------
        dtype : dtype or open3d.core.Dtype
            Type of numbers.
        device : str or open3d.core.Device
            Device. Only the CPU is supported.
        copy : bool, optional
            Whether to copy an array that is as wanted already.

        Returns
        -------
        Array

        Raises
        ------
        ValueError
            If the device is not a CPU.
        TypeError
            If there is no such type.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> ids = hitscan.open3d.RaycastingScene().cast_rays(np.zeros((1, 6)))["geometry_ids"]
        >>> ids.to("CPU:0").to(np.int64)[0].item()
        4294967295
        """
        named = [kwargs.pop(name) for name in ("dtype", "device") if name in kwargs]
        if kwargs or len(args) > 3:
            raise TypeError(f"to: {len(args)} arguments by position and {sorted(kwargs)} by name; give dtype or device")
        result: Array = self
        for wanted in (*args, *named):
            if isinstance(wanted, bool):
                copy = wanted
            elif re.fullmatch(r"(?i)(cpu|cuda|gpu|sycl|xpu)(:\d+)?", str(wanted)):
                if not str(wanted).upper().startswith("CPU"):
                    raise ValueError(f"device: {wanted} is no CPU; results are in main memory")
            else:
                result = result if result.dtype == _dtype(wanted) else _array(result.astype(_dtype(wanted)))
        return result.copy() if copy and result is self else result

    def to_dlpack(self) -> Any:
        """The capsule of the DLPack protocol."""
        return self.__dlpack__()

    def abs(self) -> Array:
        """Absolute values."""
        return _array(np.abs(self))

    def isfinite(self) -> Array:
        """Which numbers are finite: of `t_hit`, the rays that hit."""
        return _array(np.isfinite(self))

    def isinf(self) -> Array:
        """Which numbers are infinite."""
        return _array(np.isinf(self))

    def isnan(self) -> Array:
        """Which numbers are NaN."""
        return _array(np.isnan(self))

    def floor(self) -> Array:
        """Numbers rounded down to integers."""
        return _array(np.floor(self))

    def ceil(self) -> Array:
        """Numbers rounded up to integers."""
        return _array(np.ceil(self))

    def trunc(self) -> Array:
        """Numbers rounded to integers toward 0."""
        return _array(np.trunc(self))

    def neg(self) -> Array:
        """Negatives."""
        return _array(np.negative(self))

    def add(self, value: Any) -> Array:
        """Sum with another array or a number."""
        return _array(np.add(self, value))

    def sub(self, value: Any) -> Array:
        """Difference from another array or a number."""
        return _array(np.subtract(self, value))

    def mul(self, value: Any) -> Array:
        """Product with another array or a number, element by element."""
        return _array(np.multiply(self, value))

    def div(self, value: Any) -> Array:
        """Quotient by another array or a number, of integers rounded toward 0 as in Open3D."""
        quotient = np.divide(self, value)
        is_whole = self.dtype.kind in "iu" and np.asarray(value).dtype.kind in "iu"
        return _array(np.trunc(quotient).astype(self.dtype) if is_whole else quotient)

    def matmul(self, value: Any) -> Array:
        """Matrix product."""
        return _array(np.matmul(self, value))

    def eq(self, value: Any) -> Array:
        """Which elements are equal."""
        return _array(np.equal(self, value))

    def ne(self, value: Any) -> Array:
        """Which elements are not equal."""
        return _array(np.not_equal(self, value))

    def lt(self, value: Any) -> Array:
        """Which elements are less."""
        return _array(np.less(self, value))

    def le(self, value: Any) -> Array:
        """Which elements are less or equal."""
        return _array(np.less_equal(self, value))

    def gt(self, value: Any) -> Array:
        """Which elements are greater."""
        return _array(np.greater(self, value))

    def ge(self, value: Any) -> Array:
        """Which elements are greater or equal."""
        return _array(np.greater_equal(self, value))

    def logical_and(self, value: Any) -> Array:
        """Which elements are true in both."""
        return _array(np.logical_and(self, value))

    def logical_or(self, value: Any) -> Array:
        """Which elements are true in one or both."""
        return _array(np.logical_or(self, value))

    def logical_xor(self, value: Any) -> Array:
        """Which elements are true in one of both."""
        return _array(np.logical_xor(self, value))

    def logical_not(self) -> Array:
        """Which elements are false."""
        return _array(np.logical_not(self))

    def isclose(self, other: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Array:
        """Which elements are nearly equal."""
        return _array(np.isclose(self, other, rtol=rtol, atol=atol))

    def allclose(self, other: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
        """Whether all elements are nearly equal."""
        return bool(np.allclose(self, other, rtol=rtol, atol=atol))

    def sum(self, *args: Any, **kwargs: Any) -> Any:
        """Sum, along `axis` or `dim` if there is one."""
        return self._reduced("sum", args, kwargs)

    def prod(self, *args: Any, **kwargs: Any) -> Any:
        """Product, along `axis` or `dim` if there is one."""
        return self._reduced("prod", args, kwargs)

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        """Mean, along `axis` or `dim` if there is one."""
        return self._reduced("mean", args, kwargs)

    def min(self, *args: Any, **kwargs: Any) -> Any:
        """Least number, along `axis` or `dim` if there is one."""
        return self._reduced("min", args, kwargs)

    def max(self, *args: Any, **kwargs: Any) -> Any:
        """Greatest number, along `axis` or `dim` if there is one."""
        return self._reduced("max", args, kwargs)

    def argmin(self, *args: Any, **kwargs: Any) -> Any:
        """Index of the least number, along `axis` or `dim` if there is one."""
        return self._reduced("argmin", args, kwargs)

    def argmax(self, *args: Any, **kwargs: Any) -> Any:
        """Index of the greatest number, along `axis` or `dim` if there is one."""
        return self._reduced("argmax", args, kwargs)

    def all(self, *args: Any, **kwargs: Any) -> Any:
        """Whether all elements are true, along `axis` or `dim` if there is one."""
        return self._reduced("all", args, kwargs)

    def any(self, *args: Any, **kwargs: Any) -> Any:
        """Whether any element is true, along `axis` or `dim` if there is one."""
        return self._reduced("any", args, kwargs)

    def _reduced(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A reduction of NumPy, with the names of its arguments in Open3D, too."""
        if len(args) > 1 and isinstance(args[1], bool):
            # Open3D has `keepdim` there, NumPy a type of numbers.
            kwargs["keepdim"] = args[1]
            args = (args[0], *args[2:])
        for theirs, ours in (("dim", "axis"), ("keepdim", "keepdims")):
            if theirs in kwargs:
                kwargs[ours] = kwargs.pop(theirs)
        if args:
            args = (_axes(args[0]), *args[1:])
        elif "axis" in kwargs:
            kwargs["axis"] = _axes(kwargs["axis"])
        return _array(getattr(np.ndarray, name)(self, *args, **kwargs))


def _array(value: Any) -> Array:
    """An array, without axes for a number."""
    return np.asarray(value).view(Array)


def _axes(axes: Any) -> Any:
    """An axis, or several, as NumPy takes them: Open3D has them in lists, too, also where only one axis is possible."""
    if axes is None or isinstance(axes, int | np.integer):
        return axes
    several = tuple(axes)
    return several[0] if len(several) == 1 else several


def _operand(value: Any) -> Any:
    """A tensor, or an array of this module, as one of NumPy; other operands as they are."""
    if isinstance(value, Array):
        return value.view(np.ndarray)
    is_tensor = hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray | np.generic)
    return np.from_dlpack(value) if is_tensor else value


def _result(value: Any) -> Any:
    """A result of NumPy as an array of this module, if it is an array."""
    return value.view(Array) if isinstance(value, np.ndarray) else value


def _dtype(wanted: Any) -> np.dtype[Any]:
    """A type of NumPy for one of NumPy or of Open3D, whose text is its name."""
    for given in (wanted, str(wanted).lower()):
        try:
            return np.dtype(given)
        except TypeError:
            pass
    raise TypeError(f"dtype: {wanted!r} is no type of numbers that NumPy has")
