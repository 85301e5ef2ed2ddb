"""``mindspore._checkparam``: values, errors and texts are MindSpore 2.10's."""

import pytest
from messages import said

from cellgrad import Tensor, _checkparam

GOLDEN = (
    (
        'V.check_int(3,5,V.GE,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must >= 5, but got '3' with type 'int'.",
    ),
    (
        "V.check_int(3,5,V.GE)",
        "ValueError",
        "The input value must be int and must >= 5, but got '3' with type 'int'.",
    ),
    ('V.check_int(3,5,V.LT,"n","Op")', "value", "3"),
    (
        'V.check_int(3,5,V.GE,None,"Op")',
        "ValueError",
        "For 'Op', the input value must be int and must >= 5, but got '3' with type 'int'.",
    ),
    (
        'V.check_int(True,5,V.GE,"n","Op")',
        "TypeError",
        "For 'Op', the 'n' must be int and must >= 5, but got 'True' with type 'bool'.",
    ),
    (
        'V.check_int(3.0,5,V.GE,"n","Op")',
        "TypeError",
        "For 'Op', the 'n' must be int, but got 'float'",
    ),
    (
        'V.check_int(7,(1,2),V.IN,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must in (1, 2), but got '7' with type 'int'.",
    ),
    (
        'V.check_int(1,(1,2),V.NOT_IN,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must not in (1, 2), but got '1' with type 'int'.",
    ),
    ("V.check_is_int(2.5)", "TypeError", "The type of input value must be 'int', but got 'float'."),
    (
        'V.check_is_int(True,"n","Op")',
        "TypeError",
        "For 'Op', the type of 'n' must be 'int', but got 'bool'.",
    ),
    (
        'V.check_equal_int(2,3,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must = 3, but got '2' with type 'int'.",
    ),
    (
        'V.check_positive_int(0,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must > 0, but got '0' with type 'int'.",
    ),
    (
        "V.check_positive_int(-1)",
        "ValueError",
        "The input value must be int and must > 0, but got '-1' with type 'int'.",
    ),
    (
        'V.check_negative_int(0,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must < 0, but got '0' with type 'int'.",
    ),
    (
        'V.check_non_positive_int(1,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must <= 0, but got '1' with type 'int'.",
    ),
    (
        'V.check_non_negative_int(-1,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be int and must >= 0, but got '-1' with type 'int'.",
    ),
    (
        'V.check_positive_int_sequence([1,2.0],"n","Op")',
        "TypeError",
        "For 'Op', the 'n[1]' must be int, but got 'float'",
    ),
    (
        "V.check_positive_int_sequence([1,0])",
        "ValueError",
        "The 'arg_name[1]' must be int and must > 0, but got '0' with type 'int'.",
    ),
    ('V.check_positive_int_sequence((1,2),"n","Op")', "value", "(1, 2)"),
    (
        'V.check_non_negative_int_sequence([1,-1],"n","Op")',
        "ValueError",
        "For 'Op', the 'n[1]' must be int and must >= 0, but got '-1' with type 'int'.",
    ),
    (
        'V.check_positive_float_sequence([1.0,0.0],"f","Op")',
        "ValueError",
        "For 'Op', the 'f[1]' must be float and must > 0, but got '0.0' with type 'float'.",
    ),
    (
        'V.check_float(1.5,2.0,V.GT,"f","Op")',
        "ValueError",
        "For 'Op', the 'f' must be float and must > 2.0, but got '1.5' with type 'float'.",
    ),
    (
        'V.check_float(1,2.0,V.LT,"f","Op")',
        "TypeError",
        "For 'Op', the 'f' must be float, but got 'int'",
    ),
    (
        'V.check_float(float("nan"),1.0,V.LT,"f")',
        "ValueError",
        "The 'f' must be a legal value, but got 'nan'.",
    ),
    (
        'V.check_is_float(1,"f","Op")',
        "TypeError",
        "For 'Op', the type of 'f' must be 'float', but got 'int'.",
    ),
    (
        "V.check_positive_float(-1.0)",
        "ValueError",
        "The input value must be float and must > 0, but got '-1.0' with type 'float'.",
    ),
    (
        'V.check_negative_float(0.0,"f","Op")',
        "ValueError",
        "For 'Op', the 'f' must be float and must < 0, but got '0.0' with type 'float'.",
    ),
    (
        'V.check_non_positive_float(1.0,"f","Op")',
        "ValueError",
        "For 'Op', the 'f' must be float and must <= 0, but got '1.0' with type 'float'.",
    ),
    (
        'V.check_non_negative_float(-1.0,"f","Op")',
        "ValueError",
        "For 'Op', the 'f' must be float and must >= 0, but got '-1.0' with type 'float'.",
    ),
    (
        'V.check_positive_float(float("inf"),"f","Op")',
        "ValueError",
        "For 'Op', the 'f' must be a legal value, but got 'inf'.",
    ),
    (
        'V.check_is_number(float("nan"),float,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be a legal float, but got 'nan'.",
    ),
    (
        'V.check_number("f",1.5,2.0,V.GT,"Op")',
        "ValueError",
        "For 'Op', the argument 'f' must > 2.0, but got 1.5.",
    ),
    (
        'V.check_number_range(3,0,2,V.INC_BOTH,float,"n","Op")',
        "TypeError",
        "For 'Op', the 'n' must be 'float',  but got 'int'.",
    ),
    ('V.check_number_range(1,0.0,3.0,V.INC_BOTH,(int,float),"f","Op")', "value", "1"),
    (
        'V.check_int_range(5,0,3,V.INC_LEFT,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be in range of [0, 3), but got 5 with type 'int'.",
    ),
    (
        'V.check_int_range(5,0,3,V.INC_NEITHER,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be in range of (0, 3), but got 5 with type 'int'.",
    ),
    (
        'V.check_int_range(5,0,3,V.INC_RIGHT,"n","Op")',
        "ValueError",
        "For 'Op', the 'n' must be in range of (0, 3], but got 5 with type 'int'.",
    ),
    (
        'V.check_int_range(5,0,3,V.INC_BOTH,None,"Op")',
        "ValueError",
        "For 'Op', the input value must be in range of [0, 3], but got 5 with type 'int'.",
    ),
    (
        'V.check_float_range(1,0.0,3.0,V.INC_BOTH,"f","Op")',
        "TypeError",
        "For 'Op', the 'f' must be 'float',  but got 'int'.",
    ),
    ('V.check_bool(1,"b","Op")', "TypeError", "For 'Op', the 'b' must be a bool, but got int."),
    ("V.check_bool(1)", "TypeError", "The input value must be a bool, but got int."),
    (
        'V.check_string("c",["a","b"],"s","Op")',
        "ValueError",
        "For 'Op', the 's' must be str and must be in '['a', 'b']', but got 'c'.",
    ),
    (
        'V.check_string(3,["a","b"],"s","Op")',
        "ValueError",
        "For 'Op', the 's' must be str and must be in '['a', 'b']', but got '3'.",
    ),
    (
        'V.check_string("c",["a","b"])',
        "ValueError",
        "The 'parameter' must be str and must be in '['a', 'b']', but got 'c'.",
    ),
    ('V.check_string("a",["a","b"],"s","Op")', "value", "'a'"),
    (
        'V.check_value_type("x",1,[float],"Op")',
        "TypeError",
        "For 'Op', the type of 'x' should be 'float', but got type 'int'.",
    ),
    (
        'V.check_value_type("x",1,float)',
        "TypeError",
        "The type of 'x' should be 'float', but got type 'int'.",
    ),
    (
        'V.check_value_type("x",True,(float,str,int),"Op")',
        "TypeError",
        "For 'Op', the type of 'x' should be one of '['float', 'str', 'int']', but got type 'bool'.",
    ),
    ('V.check_value_type("x",True,[int,bool],"Op")', "value", "True"),
    (
        'V.check_value_type("x",Tensor(1),[float],"Op")',
        "TypeError",
        "For 'Op', the type of 'x' should be 'float', but got type 'Tensor'.",
    ),
    (
        'V.check_isinstance("x",1,(str,float))',
        "ValueError",
        "The parameter 'x' must be isinstance of (<class 'str'>, <class 'float'>), but got 1.",
    ),
    ('V.check_isinstance("x",True,int)', "value", "True"),
    ('V.check("a",1,"b",2)', "ValueError", "The 'a' should be = b: 2, but got 1."),
    (
        'V.check("a",1,"b",2,V.GE,"Op",TypeError)',
        "TypeError",
        "For 'Op', the 'a' should be >= b: 2, but got 1.",
    ),
    (
        'V.check("a",2,"b",2,V.NE,"Op")',
        "ValueError",
        "For 'Op', the 'a' should be != b: 2, but got 2.",
    ),
    (
        'V.check("len of a",3,"b",[1,2],V.IN)',
        "ValueError",
        "The len of a should be in b: [1, 2], but got 3.",
    ),
    (
        'V.check_element_type_of_iterable("x",[1,2.0],[int],"Op")',
        "TypeError",
        "For 'Op', the type of 'x' should be int, but got '2.0' with type 'float'.",
    ),
    (
        'V.check_element_type_of_iterable("x",[1,2.0],[int,str])',
        "TypeError",
        "The type of 'x' should be one of ['int', 'str'], but got '2.0' with type 'float'.",
    ),
    (
        'V.check_element_type_of_iterable("x",3,[int,str],"Op")',
        "TypeError",
        "For 'Op', the type of 'x' should be one of '['list', 'tuple']', but got type 'int'.",
    ),
    ('V.check_element_type_of_iterable("x",[1,True],[int],"Op")', "value", "None"),
    ("V._expand_tuple(2)(1)", "value", "(1, 1)"),
    ("V.twice(5)", "value", "(5, 5)"),
    ("V.triple((1, 2, 3))", "value", "(1, 2, 3)"),
    ("V._expand_tuple(2)((1, 2))", "value", "(1, 2)"),
    (
        "V._expand_tuple(2)((1, 2, 3))",
        "TypeError",
        "When expanding an int number to tuple, input tuple dimension must be 2, but got (1, 2, 3)",
    ),
    (
        "V._expand_tuple(2)(True)",
        "TypeError",
        "When expanding an int number to tuple, input type must be integer or tuple[int], but got <class 'bool'>",
    ),
    (
        "V._expand_tuple(2)((3.5, 4))",
        "TypeError",
        "When expanding an int number to tuple, the type of element in input tuple must be an integer, "
        "but got <class 'float'>.",
    ),
    ('V.check_input_format("NCHW")', "value", "'NCHW'"),
    ('V.check_str_by_regular("_x12_sf.asdf")', "value", "True"),
    (
        'V.check_str_by_regular("12+sf.asdf")',
        "ValueError",
        "The '12+sf.asdf' is illegal, it must be match regular'^\\w+[0-9a-zA-Z\\_\\.]*$' by "
        "flags're.ASCII.'",
    ),
    (
        'V.check_input_format("NHWC")',
        "ValueError",
        "The data format must be NCHW, but got NHWC.",
    ),
    (
        'V.check_valid_input("x",None,"Op")',
        "ValueError",
        "For 'Op', the argument 'x'can not be None, but got None.",
    ),
)


@pytest.mark.parametrize(("call", "kind", "text"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_a_check(call, kind, text):
    try:
        found = "value", repr(eval(call, {"V": _checkparam, "Tensor": Tensor}))
    except Exception as e:
        found = type(e).__name__, said(e)
    assert found == (kind, text)


def test_the_numbers_of_relations():
    names = "EQ NE LT LE GT GE INC_NEITHER INC_LEFT INC_RIGHT INC_BOTH IN NOT_IN"
    assert [getattr(_checkparam, name) for name in names.split()] == [*range(1, 13)]
    with pytest.raises(
        ValueError, match=r"range of \[0.0, 3.0\], but got nan"
    ):  # MindSpore takes it
        _checkparam.check_float_range(float("nan"), 0.0, 3.0, _checkparam.INC_BOTH, "f", "Op")


def test_types_of_arguments():
    @_checkparam.args_type_check(str, times=int)
    def repeated(text, times=2, end=""):
        return text * times + end

    assert repeated("a") == "aa" and repeated("a", times=3, end="b") == "aaab"
    wanted = "The parameter 'times' must be <class 'int'>, but got <class 'str'>"  # MindSpore's
    with pytest.raises(TypeError, match=wanted):
        repeated("a", "b")
